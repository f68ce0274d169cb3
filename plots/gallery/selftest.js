// index.html#selftest: the page tries itself and writes what it found into an element, for
// tests/plots/test_gallery_browser.c (a browser can print a page without showing it). Lines begin
// with "ok" or "FAIL"; "row" lines hold the weights the explorer showed.

const found = [];

function check(name, good, detail) {
    found.push((good ? 'ok ' : 'FAIL ') + name + (good || detail === undefined ? '' : ': ' + detail));
}

function press(target, key, shiftKey) {
    target.dispatchEvent(new KeyboardEvent('keydown', {key, shiftKey, bubbles: true, cancelable: true}));
}

const namesShown = () => shown.map(nameOf).join(' | ');
const fits = () => document.documentElement.scrollWidth <= document.documentElement.clientWidth;

function testImages() {
    const images = [...document.images];
    const bad = images.filter(image => !(image.complete && image.naturalWidth > 0));
    check('images ' + images.length, bad.length === 0, bad.map(image => image.src).join(' '));
    check('every image has words', images.every(image => image.alt !== ''));
    const sizes = images.filter(image => image.naturalWidth !== Number(image.getAttribute('width')));
    check('images have the size the page says', sizes.length === 0, sizes.length);
}

function testKeys() {
    const names = runs.map(nameOf), last = runs.length - 1;
    go([]);
    check('all runs are in the table', document.querySelectorAll('.overview tbody tr').length === runs.length);
    press(document.body, 'ArrowRight');
    check('right: the first run', namesShown() === names[0], namesShown());
    press(document.body, 'ArrowLeft');
    check('left: round to the last', namesShown() === names[last], namesShown());
    check('others are hidden', runs.filter(run => !run.hidden).length === 1);
    byId('left-run').focus();
    press(byId('left-run'), 'ArrowRight');
    check('keys in a list of choices stay there', namesShown() === names[last], namesShown());
    press(document.body, 'Escape');
    check('escape: all runs', shown.length === 0 && !byId('all').hidden);
}

function tellPair(name) {
    [...byId('pair').querySelectorAll('tbody tr')].forEach(row =>
        found.push(name + ' ' + [...row.cells].map(cell => cell.textContent).join(' | ')));
}

function testPair() {
    const names = runs.map(nameOf);
    byId('left-run').value = runs[0].id;
    byId('right-run').value = runs[1].id;
    byId('tools').requestSubmit();
    const pair = byId('pair');
    check('two runs', namesShown() === names[0] + ' | ' + names[1] && !pair.hidden, namesShown());
    check('two runs: no other is on view', runs.every(run => run.hidden));
    check('two runs: both names', [...pair.querySelectorAll('h2')].map(h => h.textContent).join(' | ') ===
        namesShown());
    tellPair('pair');
    check('two runs fit', fits(), document.documentElement.scrollWidth);
    if (runs.length > 2) {
        press(document.body, 'ArrowRight');
        check('right: another right run', namesShown() === names[0] + ' | ' + names[2], namesShown());
        press(document.body, 'ArrowLeft');
        check('left: back', namesShown() === names[0] + ' | ' + names[1], namesShown());
        press(document.body, 'ArrowLeft');
        check('left: never the same twice', namesShown() === names[0] + ' | ' + names[runs.length - 1],
            namesShown());
        tellPair('first and last');
        press(document.body, 'ArrowRight', true);
        check('shift: another left run', namesShown() === names[1] + ' | ' + names[runs.length - 1],
            namesShown());
    }
}

// Chooses option i of a select the way a person does.
function choose(select, i) {
    select.selectedIndex = i;
    select.dispatchEvent(new Event('change', {bubbles: true}));
}

function testRows(run, names) {
    const [text, layer, head, which] = names;
    run.querySelectorAll('.queries button').forEach((chip, q) => {
        chip.dispatchEvent(new MouseEvent('mouseover', {bubbles: true}));
        const weights = [...run.querySelectorAll('.keys small')].map(small => small.textContent);
        found.push(['row', run.id, text, layer, head, which, q, weights.join(' ')].join('\t'));
    });
}

// Smooth: pointing at one query after the other, in milliseconds for each.
function testPace(run) {
    const explorer = run.querySelector('.explore').explorer, count = explorer.text.q.length;
    const before = performance.now();
    for (let q = 0; q < count; q++) {
        explorer.select(q, -1);
        explorer.draw();
    }
    const each = (performance.now() - before) / count;
    found.push('pace ' + explorer.weights.length + ' cells, ms: ' + each.toFixed(2));
    check(nameOf(run) + ': smooth', each < 50, each);
}

function testMaps(run) {
    const [text, layer, head, which] = run.querySelectorAll('.explore select');
    for (let t = 0; t < text.length; t++) {
        choose(text, t);
        for (let l = 0; l < layer.length; l++) {
            choose(layer, l);
            for (let h = 0; h < head.length; h++) {
                choose(head, h);
                for (let w = 0; w < which.length; w++) {
                    choose(which, w);
                    testRows(run, [t, layer.value, head.value, w]);
                }
            }
        }
    }
}

function testExplorer(run) {
    go([run]);
    testMaps(run);
    testPace(run);
    const queries = run.querySelectorAll('.queries button');
    queries[0].focus();
    press(queries[0], 'ArrowRight');
    const second = queries[Math.min(1, queries.length - 1)];
    check(nameOf(run) + ': arrow keys choose a query', document.activeElement === second &&
        second.getAttribute('aria-pressed') === 'true' && namesShown() === nameOf(run));
    const canvas = run.querySelector('canvas'), pen = canvas.getContext('2d');
    const colors = new Set(pen.getImageData(0, 0, canvas.width, canvas.height).data);
    check(nameOf(run) + ': the map is drawn', colors.size > 3, colors.size);
    check(nameOf(run) + ' fits', fits(), document.documentElement.scrollWidth);
}

function testTheme() {
    const before = document.documentElement.dataset.theme;
    found.push('theme ' + before);
    const ground = getComputedStyle(document.body).backgroundColor;
    byId('theme').click();
    check('theme: the other one', document.documentElement.dataset.theme !== before &&
        getComputedStyle(document.body).backgroundColor !== ground);
    byId('theme').click();
    check('theme: back', getComputedStyle(document.body).backgroundColor === ground);
}

function selfTest() {
    check('the table fits ' + innerWidth, fits(), document.documentElement.scrollWidth);
    testImages();
    if (runs.length > 0) {
        testKeys();
        testTheme();
        runs.filter(run => run.querySelector('.attention')).forEach(testExplorer);
    }
    if (runs.length > 1) {
        testPair();
    }
    check('no error', problems.length === 0, problems.join('; '));
    found.push('end');
    document.body.append(make('pre', {id: 'selftest'}, found.join('\n')));
    if (parent !== window) {
        parent.postMessage(found.join('\n'), '*'); // a page with frames of other widths asks
    }
}

function selfTestWhenLoaded() {
    const errorOf = error => {
        problems.push(String(error));
        found.push('FAIL ' + error);
        document.body.append(make('pre', {id: 'selftest'}, found.join('\n')));
    };
    document.querySelectorAll('img').forEach(image => { image.loading = 'eager'; });
    addEventListener('load', () => {
        try {
            selfTest();
        } catch (error) {
            errorOf(error);
        }
    });
}

start();
if (location.hash === '#selftest') {
    selfTestWhenLoaded();
}
