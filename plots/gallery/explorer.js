// The attention explorer: one map of weights at a time, and what one query looks at. The data is
// what attention_json() in common/show/gallery_attention.c writes.

const PARTS = 10000; // a weight is stored in parts of 1

function exploreRun(run, host) {
    const data = run.querySelector('script.attention');
    if (data && host && host.childElementCount === 0) {
        const texts = JSON.parse(data.textContent).texts;
        if (texts.length > 0) {
            new Explorer(host, texts);
        } else {
            host.append('attention.tsv has no map.');
        }
    }
}

// "" is 0, "n" is no number.
const weightRead = text => text === 'n' ? NaN : Number(text) / PARTS;
// .8123; the zero before the point says nothing
const weightText = weight => isNaN(weight) ? 'nan' : weight.toFixed(4).replace(/^(-?)0\./, '$1.');

// A token as it can be seen: white space has no looks of its own.
const marks = {' ': '\u2423', '\n': '\u21b5', '\t': '\u21e5', '\r': '\u240d'};
const tokenText = token => token === '' ? '\u2205' : token.replace(/^[ \n\t\r]+|[\n\t\r]/g,
    space => [...space].map(one => marks[one]).join(''));

class Explorer {
    constructor(host, texts) {
        this.texts = texts;
        this.query = 0;
        this.key = -1; // of the cell under the pointer
        this.build(host);
        this.fill(this.pick.text, texts.map((text, i) => [i, Explorer.textName(text, i)]));
        this.chooseText();
        new ResizeObserver(() => this.later()).observe(this.canvas.parentElement);
        host.explorer = this; // for a change of theme
    }

    static textName(text, i) {
        const words = text.k.map(tokenText).join(' ');
        const name = text.n === '' ? '' : text.n + ': '; // older files have no names
        return (i + 1) + ': ' + name + (words.length > 60 ? words.slice(0, 60) + '\u2026' : words) +
            ' (' + text.full.join(' \u00d7 ') + ')';
    }

    // ---- what it is made of ----

    build(host) {
        this.pick = {};
        const labels = {text: 'text', layer: 'layer', head: 'head', which: 'map'};
        const controls = Object.keys(labels).map(name => {
            this.pick[name] = make('select', {});
            return make('label', {}, labels[name], this.pick[name]);
        });
        this.stretch = make('input', {type: 'checkbox'});
        this.canvas = make('canvas', {role: 'img'});
        this.queries = make('div', {className: 'tokens queries'});
        this.keys = make('div', {className: 'tokens keys'});
        this.said = make('p', {className: 'said'});
        this.said.setAttribute('aria-live', 'polite');
        this.queries.dataset.keys = 'own'; // arrow keys belong to the list
        this.queries.setAttribute('role', 'group');
        this.queries.setAttribute('aria-label', 'queries');
        host.append(
            make('div', {className: 'explore-controls'}, ...controls,
                 make('label', {}, this.stretch, 'full colour for the largest weight')),
            make('div', {className: 'explore-body'},
                 make('div', {className: 'explore-lists'},
                      make('h4', {}, 'Queries: point at one, tap it, or use the arrow keys'),
                      this.queries,
                      make('h4', {}, 'Keys, and the weight the query gives to each'), this.keys),
                 make('div', {className: 'explore-picture'},
                      make('h4', {}, 'Queries from top to bottom, keys from left to right; the ' +
                           'stronger the colour, the larger the weight'),
                      this.canvas, this.said)));
        this.listen();
    }

    listen() {
        this.pick.text.addEventListener('change', () => this.chooseText());
        this.pick.layer.addEventListener('change', () => this.chooseLayer());
        this.pick.head.addEventListener('change', () => this.chooseHead());
        this.pick.which.addEventListener('change', () => this.chooseMap());
        this.stretch.addEventListener('change', () => this.update());
        const point = event => {
            const chip = event.target.closest('button');
            if (chip) {
                this.select([...this.queries.children].indexOf(chip), -1);
            }
        };
        ['mouseover', 'focusin', 'click'].forEach(kind => this.queries.addEventListener(kind, point));
        this.queries.addEventListener('keydown', event => this.keyPressed(event));
        ['pointermove', 'pointerdown'].forEach(kind => this.canvas.addEventListener(kind, event => {
            const cell = this.cellAt(event.offsetX, event.offsetY);
            if (cell) {
                this.select(...cell);
            }
        }));
    }

    keyPressed(event) {
        const by = {ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1}[event.key];
        const last = this.text.q.length - 1;
        const to = by ? this.query + by : {Home: 0, End: last}[event.key];
        if (to !== undefined) {
            event.preventDefault();
            this.select(Math.min(Math.max(to, 0), last), -1);
            this.queries.children[this.query].focus();
        }
    }

    // ---- choosing a map: text, then layer, then head, then which of several ----

    // Puts options [value, name] into a select; keeps the choice where it is still there. One that
    // leaves no choice is greyed, and hidden when it is `which`.
    fill(select, options) {
        const before = select.value;
        select.replaceChildren(...options.map(([value, name]) => make('option', {value}, name)));
        select.value = options.some(([value]) => String(value) === before) ? before : options[0][0];
        select.disabled = options.length < 2;
        select.parentElement.hidden = options.length < 2 && select === this.pick.which;
    }

    fillNumbers(select, numbers) {
        const sorted = [...new Set(numbers)].sort((a, b) => a - b);
        this.fill(select, sorted.map(number => [number, number]));
    }

    chooseText() {
        this.text = this.texts[this.pick.text.value];
        this.fillNumbers(this.pick.layer, this.text.maps.map(map => map.l));
        this.query = Math.min(this.query, this.text.q.length - 1);
        this.queries.replaceChildren(...this.text.q.map(token =>
            make('button', {type: 'button'}, tokenText(token))));
        this.chooseLayer();
    }

    chooseLayer() {
        this.ofLayer = this.text.maps.filter(map => String(map.l) === this.pick.layer.value);
        this.fillNumbers(this.pick.head, this.ofLayer.map(map => map.h));
        this.chooseHead();
    }

    chooseHead() {
        this.ofHead = this.ofLayer.filter(map => String(map.h) === this.pick.head.value);
        this.fill(this.pick.which, this.ofHead.map((map, i) =>
            [i, (i + 1) + ' of ' + this.ofHead.length]));
        this.chooseMap();
    }

    chooseMap() {
        this.weights = this.ofHead[this.pick.which.value].w.split(',').map(weightRead);
        this.update();
    }

    // ---- showing it ----

    update() {
        const finite = this.weights.filter(isFinite);
        const largest = finite.reduce((most, weight) => Math.max(most, weight), 0);
        this.top = this.stretch.checked && largest > 0 ? largest : 1;
        const style = getComputedStyle(document.documentElement);
        this.scale = ['--heat-0', '--heat-1'].map(name =>
            style.getPropertyValue(name).split(',').map(Number));
        this.canvas.setAttribute('aria-label', 'Heatmap of attention: ' + this.text.q.length +
            ' queries, ' + this.text.k.length + ' keys. The lists of queries and keys say the same.');
        this.select(this.query, -1);
        this.paint();
    }

    row(query) {
        const K = this.text.k.length;
        return this.weights.slice(query * K, (query + 1) * K);
    }

    select(query, key) {
        this.query = query;
        this.key = key;
        [...this.queries.children].forEach((chip, i) => {
            chip.setAttribute('aria-pressed', i === query);
            chip.tabIndex = i === query ? 0 : -1;
        });
        const row = this.row(query);
        this.keys.replaceChildren(...this.text.k.map((token, i) => this.keyChip(token, row[i])));
        this.said.textContent = this.sentence(row);
        this.later();
    }

    keyChip(token, weight) {
        const [r, g, b] = this.color(weight);
        const chip = make('span', {}, tokenText(token), make('small', {}, weightText(weight)));
        chip.style.background = `rgb(${r}, ${g}, ${b})`;
        chip.style.color = .299 * r + .587 * g + .114 * b > 140 ? '#111' : '#fff';
        return chip;
    }

    // "query 3, mange: mange .8123, le .1001, . .0500"; the cell under the pointer first.
    sentence(row) {
        const order = row.map((weight, i) => i).filter(i => row[i] > 0)
            .sort((a, b) => row[b] - row[a]).slice(0, 3);
        const say = i => '\u201c' + tokenText(this.text.k[i]) + '\u201d ' + weightText(row[i]);
        const cell = this.key >= 0 ? 'Under the pointer: ' + say(this.key) + '. ' : '';
        return cell + 'Query ' + this.query + ' \u201c' + tokenText(this.text.q[this.query]) +
            '\u201d looks most at ' + (order.map(say).join(', ') || 'nothing') + '.';
    }

    color(weight) {
        const [low, high] = this.scale;
        if (!isFinite(weight)) {
            return [128, 128, 128];
        }
        // the power shows small weights, too; larger ones are still stronger
        const share = Math.min(Math.max(weight / this.top, 0), 1) ** .75;
        return low.map((from, i) => Math.round(from + share * (high[i] - from)));
    }

    // ---- the picture ----

    // At most once a frame, however fast the pointer moves.
    later() {
        if (!this.waiting) {
            this.waiting = true;
            requestAnimationFrame(() => this.frame());
        }
    }

    frame() {
        this.waiting = false;
        const width = this.canvas.parentElement.clientWidth;
        if (width === this.width) {
            this.draw();
        } else {
            this.paint();
        }
    }

    // Works out the places and fills the cells, a pixel each; draw() enlarges them.
    paint() {
        const Q = this.text.q.length, K = this.text.k.length;
        this.width = this.canvas.parentElement.clientWidth;
        if (this.width === 0) {
            return; // not on view
        }
        const pen = this.canvas.getContext('2d');
        pen.font = '12px sans-serif';
        const widest = tokens => Math.min(110, 8 + Math.max(...tokens.map(token =>
            pen.measureText(tokenText(token)).width)));
        this.left = widest(this.text.q);
        this.above = widest(this.text.k);
        this.cell = Math.min(34, (this.width - this.left) / K);
        this.labels = this.cell >= 13;
        if (!this.labels) {
            this.left = this.above = 0;
            this.cell = Math.min(34, this.width / K);
        }
        this.cells = make('canvas', {width: K, height: Q});
        const image = new ImageData(K, Q);
        this.weights.forEach((weight, i) => image.data.set([...this.color(weight), 255], 4 * i));
        this.cells.getContext('2d').putImageData(image, 0, 0);
        const scale = devicePixelRatio || 1;
        const height = this.above + Q * this.cell + 1;
        this.canvas.width = Math.ceil(this.width * scale);
        this.canvas.height = Math.ceil(height * scale);
        this.canvas.style.height = height + 'px';
        this.draw();
    }

    draw() {
        const Q = this.text.q.length, K = this.text.k.length, size = this.cell;
        const style = getComputedStyle(document.documentElement);
        const pen = this.canvas.getContext('2d'), scale = devicePixelRatio || 1;
        pen.setTransform(scale, 0, 0, scale, 0, 0);
        pen.clearRect(0, 0, this.width, this.canvas.height);
        pen.imageSmoothingEnabled = false;
        pen.drawImage(this.cells, this.left, this.above, K * size, Q * size);
        pen.strokeStyle = style.getPropertyValue('--line');
        pen.strokeRect(this.left + .5, this.above + .5, K * size - 1, Q * size - 1);
        pen.fillStyle = style.getPropertyValue('--text');
        pen.font = '12px sans-serif';
        pen.textBaseline = 'middle';
        if (this.labels) {
            this.text.q.forEach((token, i) =>
                this.label(pen, token, this.left - 4, this.above + (i + .5) * size, 0, i === this.query));
            this.text.k.forEach((token, i) =>
                this.label(pen, token, this.left + (i + .5) * size, this.above - 4, 1, i === this.key));
        }
        pen.strokeStyle = style.getPropertyValue('--accent');
        pen.lineWidth = 2;
        pen.strokeRect(this.left + 1, this.above + this.query * size, K * size - 2, size);
        if (this.key >= 0) {
            pen.strokeRect(this.left + this.key * size, this.above + this.query * size, size, size);
        }
        pen.lineWidth = 1;
    }

    // A query's label ends at (x, y); a key's is turned and starts there.
    label(pen, token, x, y, turned, chosen) {
        pen.save();
        pen.translate(x, y);
        pen.rotate(turned ? -Math.PI / 2 : 0);
        pen.textAlign = turned ? 'left' : 'right';
        pen.font = (chosen ? 'bold ' : '') + '12px sans-serif';
        pen.fillText(tokenText(token), 0, 0, 104);
        pen.restore();
    }

    // [query, key] of the cell at a place of the canvas, or null.
    cellAt(x, y) {
        const key = Math.floor((x - this.left) / this.cell);
        const query = Math.floor((y - this.above) / this.cell);
        const inside = query >= 0 && query < this.text.q.length && key < this.text.k.length;
        return inside ? [query, key >= 0 ? key : -1] : null;
    }
}
