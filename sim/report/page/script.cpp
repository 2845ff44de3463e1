#include "sim/report/page/page.hpp"

namespace lockstep::report {

std::string_view page_script() {
  // A CDATA section in comments: the page is read as HTML and as XML.
  return R"js(//<![CDATA[
document.querySelectorAll('table.data').forEach(function (table) {
  const body = table.tBodies[0], rows = Array.from(body.rows), heads = Array.from(table.tHead.rows[0].cells);
  if (rows.length < 2) return;
  const text = (row, column) => row.cells[column].textContent.trim();
  const number = (shown) => parseFloat(shown.replace(/,/g, ''));
  const name = (head) => head.dataset.name;

  function sort(column, descending) {
    const numeric = heads[column].classList.contains('number');
    const order = (a, b) => {
      const x = text(a, column), y = text(b, column);
      if (!numeric) return x.localeCompare(y, undefined, { numeric: true });
      return number(x) - number(y);
    };
    const valued = rows.filter((row) => !numeric || !isNaN(number(text(row, column))));
    const others = rows.filter((row) => !valued.includes(row));
    valued.sort((a, b) => (descending ? -1 : 1) * order(a, b));
    valued.concat(others).forEach((row) => body.appendChild(row));
    heads.forEach((head, i) => {
      if (i === column) head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
      else head.removeAttribute('aria-sort');
    });
  }
  heads.forEach(function (head, column) {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => sort(column, head.getAttribute('aria-sort') === 'ascending'));
  });

  const tools = document.createElement('form'), count = document.createElement('span');
  tools.className = 'tools';
  tools.addEventListener('submit', (event) => event.preventDefault());
  const add = (label, control, style) => {
    const around = document.createElement('label');
    around.append(label + ' ', control);
    if (style) around.className = style;
    tools.append(around);
    return control;
  };
  const select = (entries) => {
    const control = document.createElement('select');
    entries.forEach(([value, shown]) => control.append(new Option(shown, value)));
    return control;
  };
  const words = document.createElement('input');
  words.type = 'search';
  words.placeholder = 'words in a row';
  add('filter', words);
  const choices = [];
  heads.forEach(function (head, column) {
    if (head.dataset.choose === undefined) return;
    const values = Array.from(new Set(rows.map((row) => text(row, column))));
    if (values.length < 2 || values.length > 60) return;
    const control = select([['', 'all']].concat(values.map((value) => ['=' + value, value])));
    choices.push([column, add(name(head), control)]);
  });
  const by = add('sort by', select([['', 'as given']].concat(heads.map((head, i) => [i, name(head)]))), 'narrow-only');
  tools.append(count);
  function filter() {
    const wanted = words.value.toLowerCase().split(/\s+/).filter((word) => word);
    let shown = 0;
    rows.forEach(function (row) {
      const all = row.textContent.toLowerCase();
      row.hidden = !wanted.every((word) => all.includes(word)) ||
        !choices.every(([column, control]) => !control.value || control.value === '=' + text(row, column));
      if (!row.hidden) ++shown;
    });
    count.textContent = shown === rows.length ? '' : shown + ' of ' + rows.length + ' rows';
  }
  words.addEventListener('input', filter);
  choices.forEach(([column, control]) => control.addEventListener('change', filter));
  by.addEventListener('change', () => {
    if (by.value === '') rows.forEach((row) => body.appendChild(row));
    else sort(Number(by.value), false);
  });
  table.parentElement.before(tools);
});
//]]>)js";
}

}  // namespace lockstep::report
