'use strict';
// Which runs are shown, the two-run view, keys and theme. Without JavaScript all runs stand below
// each other; everything here only hides, copies and arranges what is already in the page. Texts
// go in as text (textContent, append), never as HTML.

const problems = []; // for the self-test
addEventListener('error', event => {
    problems.push(event.message || 'not loaded: ' + (event.target.src || event.target));
}, true);

const byId = id => document.getElementById(id);
const runs = [...document.querySelectorAll('article.run')];
let shown = []; // the articles on view: none (the table of all runs), one, or two side by side

// make('td', {className: 'x'}, 'text', child): an element with properties and children.
function make(tag, properties, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
}

const nameOf = run => run.querySelector('h2').textContent;

// ---- the two-run view ----

// What both have, in the order of the first; then what only the second has.
function union(first, second) {
    return [...first, ...second.filter(name => !first.includes(name))];
}

// rowsOf(run, 'tr', 'id'): the elements with data-id, by that name.
function rowsOf(run, selector, name) {
    const found = [...run.querySelectorAll(selector)].filter(row => name in row.dataset);
    return new Map(found.map(row => [row.dataset[name], row]));
}

function textIn(row, selector) {
    const cell = row && row.querySelector(selector);
    return cell ? cell.textContent : '';
}

function table(caption, heads, rows) {
    const cells = heads.map(text => make('th', {scope: 'col'}, text));
    return make('table', {}, make('caption', {}, caption),
                make('thead', {}, make('tr', {}, ...cells)), make('tbody', {}, ...rows));
}

// "holds 41.2 %"; a claim that was not made has no value
function sideText(row) {
    const value = textIn(row, '.value');
    return textIn(row, '.status') + (value === '-' ? '' : ' ' + value);
}

function claimRow(a, b, both) {
    const texts = selector =>
        [...new Set(both.filter(Boolean).map(row => textIn(row, selector)))].join(' | ');
    const alike = both[0] && both[1] && both[0].className === both[1].className;
    const cells = both.map((row, i) => {
        const cell = make('td', {className: 'side ' + (row ? row.className : '')},
                          row ? sideText(row) : '-');
        cell.dataset.label = nameOf([a, b][i]);
        return cell;
    });
    return make('tr', {className: alike ? '' : 'differs'},
                make('td', {className: 'says'}, texts('.says')), ...cells,
                make('td', {className: 'bound'}, texts('.bound')));
}

// claimsOf(run, true): the claims by id. Of two lessons an id may name different things in each, so
// there what is measured belongs to the key: the text without a name before it ("attention: ").
function claimsOf(run, sameLesson) {
    const rows = [...rowsOf(run, '.claims tr', 'id').values()];
    return new Map(rows.map(row => {
        const measured = textIn(row, '.says').replace(/^.*?: /, '');
        return [sameLesson ? row.dataset.id : row.dataset.id + ': ' + measured, row];
    }));
}

const lessonOf = run => textIn(rowsOf(run, '.record div', 'key').get('lesson'), 'dd');

// Claims of both in one table; those of one alone, such as of another lesson, below it.
function pairClaims(a, b) {
    const heads = ['claim', nameOf(a), nameOf(b), 'bound'];
    const sides = [a, b].map(run => claimsOf(run, lessonOf(a) === lessonOf(b)));
    const pairs = union([...sides[0].keys()], [...sides[1].keys()])
        .map(id => sides.map(side => side.get(id)));
    const shared = pairs.filter(both => both[0] && both[1]);
    const alone = pairs.filter(both => !both[0] || !both[1]);
    const section = make('section', {className: 'claims'}, make('h3', {}, 'Claims'));
    if (shared.length > 0) {
        section.append(table('Marked at the left: what does not end alike in both.', heads,
                             shared.map(both => claimRow(a, b, both))));
    } else {
        section.append(make('p', {}, 'The two make no claim in common.'));
    }
    if (alone.length > 0) {
        section.append(make('details', {},
            make('summary', {}, 'Claims that only one of them makes: ' + alone.length),
            table('', heads, alone.map(both => claimRow(a, b, both)))));
    }
    return section;
}

function pairPictures(a, b) {
    const sides = [a, b].map(run => rowsOf(run, 'figure', 'name'));
    const pairs = union([...sides[0].keys()], [...sides[1].keys()]).map(name =>
        make('div', {className: 'two'}, ...sides.map((side, i) => {
            const figure = side.get(name), whose = nameOf([a, b][i]);
            return make('div', {}, make('p', {className: 'whose'}, whose), figure
                ? figure.cloneNode(true)
                : make('p', {className: 'missing'}, name + ' is not in ' + whose + '.'));
        })));
    return make('section', {className: 'pictures'}, make('h3', {}, 'Pictures'),
                ...(pairs.length > 0 ? pairs : ['Neither run has pictures.']));
}

function pairRecord(a, b) {
    const sides = [a, b].map(run => rowsOf(run, '.record div', 'key'));
    const keys = union([...sides[0].keys()], [...sides[1].keys()]);
    const values = keys.map(key => sides.map(side => textIn(side.get(key), 'dd') || '-'));
    const rows = keys.map((key, i) => i).filter(i => values[i][0] !== values[i][1]).map(i =>
        make('tr', {}, make('td', {}, keys[i]), make('td', {}, values[i][0]),
             make('td', {}, values[i][1])));
    return make('section', {className: 'record'}, make('h3', {}, 'Run record'),
                table('What differs; ' + (keys.length - rows.length) + ' other lines are the same.',
                      ['', nameOf(a), nameOf(b)], rows));
}

function pairExplorers(a, b) {
    const hosts = [a, b].map(run => make('div', {className: 'explore'},
        run.querySelector('.attention') ? '' : 'No attention.tsv in ' + nameOf(run) + '.'));
    const sides = [a, b].map((run, i) =>
        make('div', {}, make('p', {className: 'whose'}, nameOf(run)), hosts[i]));
    const section = make('section', {}, make('h3', {}, 'Attention explorer'),
                         make('div', {className: 'two'}, ...sides));
    return [section, () => [a, b].forEach((run, i) => exploreRun(run, hosts[i]))];
}

function pairShow(a, b) {
    const heads = [a, b].map(run => make('div', {},
        make('h2', {}, make('a', {href: '#' + run.id}, nameOf(run))),
        ...[...run.querySelectorAll('header p')].map(p => p.cloneNode(true))));
    const [explorers, mount] = pairExplorers(a, b);
    byId('pair').replaceChildren(make('div', {className: 'two'}, ...heads), pairClaims(a, b),
                                 pairPictures(a, b), explorers, pairRecord(a, b));
    mount(); // now that they have a width
}

// ---- what is on view ----

// '' or 'all': the table; 'r2': one run; 'r2+r5': two side by side; null: something else.
function readAddress(text) {
    const wanted = text === '' || text === 'all' ? [] : text.split('+').map(byId);
    return wanted.length <= 2 && wanted.every(run => runs.includes(run)) ? wanted : null;
}

// The two lists of runs: what is on view; beside a single run the next one, ready to be compared.
function chooserSet(wanted) {
    if (wanted.length > 0) {
        const next = runs[(runs.indexOf(wanted[0]) + 1) % runs.length];
        byId('left-run').value = wanted[0].id;
        byId('right-run').value = (wanted[1] || next).id;
    }
}

function show(wanted) {
    shown = wanted;
    byId('all').hidden = wanted.length > 0;
    byId('pair').hidden = wanted.length < 2;
    runs.forEach(run => { run.hidden = wanted.length !== 1 || run !== wanted[0]; });
    byId('pair').replaceChildren();
    if (wanted.length === 1) {
        exploreRun(wanted[0], wanted[0].querySelector('.explore'));
    } else if (wanted.length === 2) {
        pairShow(...wanted);
    }
    chooserSet(wanted);
    document.title = ['attend', ...wanted.map(nameOf)].join(' \u00b7 ');
}

// Shows them and says so in the address; steps from run to run leave no trail in the history.
function go(wanted, replace) {
    const address = '#' + (wanted.map(run => run.id).join('+') || 'all');
    show(wanted);
    scrollTo(0, 0);
    if (replace) {
        location.replace(address);
    } else {
        location.hash = address;
    }
}

// The run `by` places further on in the list, round its ends; side by side never both the same.
function step(by, left) {
    const place = shown.length === 2 && !left ? 1 : 0;
    const others = shown.length === 2 && runs.length > 2 ? [shown[1 - place]] : [];
    let at = shown.length > 0 ? runs.indexOf(shown[place]) : by > 0 ? -1 : runs.length;
    do {
        at = (at + by + runs.length) % runs.length;
    } while (others.includes(runs[at]));
    const wanted = shown.length === 2 ? [...shown] : [null];
    wanted[place] = runs[at];
    go(wanted, true);
}

function keyPressed(event) {
    const elsewhere = event.target.closest && event.target.closest('select, input, [data-keys]');
    if (elsewhere || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) {
        return;
    }
    if (event.key === 'Escape' && shown.length > 0) {
        go([]);
    } else if (runs.length > 0 && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
        event.preventDefault();
        step(event.key === 'ArrowLeft' ? -1 : 1, event.shiftKey);
    }
}

// ---- dark and light ----

const darkWanted = matchMedia('(prefers-color-scheme: dark)');

// Kept where the browser lets a page of a file keep something.
function themeStored(value) {
    try {
        if (value) {
            localStorage.setItem('attend-theme', value);
        }
        return localStorage.getItem('attend-theme');
    } catch (refused) {
        return null;
    }
}

function themeSet(theme) {
    document.documentElement.dataset.theme = theme;
    byId('theme').textContent = theme === 'dark' ? '\u2600 light' : '\u263e dark';
    byId('theme').setAttribute('aria-label', 'switch to ' + (theme === 'dark' ? 'light' : 'dark'));
    document.querySelectorAll('.explore').forEach(host => host.explorer && host.explorer.update());
}

function themeChosen() {
    return themeStored() || (darkWanted.matches ? 'dark' : 'light');
}

// ---- the start ----

function start() {
    themeSet(themeChosen());
    darkWanted.addEventListener('change', () => themeSet(themeChosen()));
    byId('theme').addEventListener('click', () => {
        const other = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
        themeStored(other);
        themeSet(other);
    });
    byId('theme').hidden = byId('tools').hidden = byId('keys').hidden = false;
    document.querySelectorAll('.without-script').forEach(note => note.remove());
    byId('tools').addEventListener('submit', event => {
        event.preventDefault();
        const wanted = ['left-run', 'right-run'].map(id => byId(byId(id).value));
        if (wanted.every(Boolean)) {
            go(wanted[0] === wanted[1] ? [wanted[0]] : wanted);
        }
    });
    byId('back').addEventListener('click', event => runs.length > 0 && step(-1, event.shiftKey));
    byId('on').addEventListener('click', event => runs.length > 0 && step(1, event.shiftKey));
    document.addEventListener('keydown', keyPressed);
    addEventListener('hashchange', () => {
        const wanted = readAddress(location.hash.slice(1));
        if (wanted && wanted.map(nameOf).join() !== shown.map(nameOf).join()) {
            go(wanted, true);
        }
    });
    show(readAddress(location.hash.slice(1)) || []);
    addEventListener('load', () => shown.length > 0 && scrollTo(0, 0)); // names and keys are on top
}
