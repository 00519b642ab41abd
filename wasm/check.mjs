// Runs programs in WebAssembly: `node check.mjs FILE.wasm EXAMPLES`. Results are those of README.md; whatever is
// too deep for a stack that cannot grow is an error of the program, and never one of the machine.
import fs from 'node:fs';

const [file, examples] = process.argv.slice(2);
const code = new WebAssembly.Module(fs.readFileSync(file));

// What a program prints. Every one has a machine of its own.
function told(text, by = 'run') {
  const it = new WebAssembly.Instance(code, {}).exports;
  const bytes = new TextEncoder().encode(text);
  const room = it.room(bytes.length);
  new Uint8Array(it.memory.buffer, room, bytes.length).set(bytes);
  it[by]();
  const result = new Uint8Array(it.memory.buffer, it.result(), it.result_length());
  return new TextDecoder().decode(result);
}

let failed = 0;
function holds(what, text, expected, by) {
  let found;
  try {
    found = told(text, by);
  } catch (error) {
    found = `the machine fails: ${error.message}`;
  }
  if (!found.includes(expected)) {
    failed += 1;
    console.log(`${what}: ${expected} is not in\n${found.slice(0, 500)}`);
  }
}

const nested = (n, before, inside, after) => before.repeat(n) + inside + after.repeat(n);
const count = (n) => `def f(n: Int): Int = if n == 0 then 0 else 1 + f(n - 1)\ndef main = f(${n})`;

const thrown = fs.readFileSync(`${examples}/throw.cot`, 'utf8');
// The first digits, and not the last: functions are those of another machine.
holds('a value', thrown, '(68.66177708197');
holds('a gradient', thrown, '(10.7567142371881');
holds('a recursion', count(300), '300');
holds('a recursion that is too deep', count(1000000), 'E0604');
const inside = (n) => nested(n, 'if n > -1 then (', '1 + f(n - 1)', ') else 0');
const branches = `def f(n: Int): Int = if n == 0 then 0 else ${inside(40)}\ndef main = f(1000)`;
holds('one inside of many branches', branches, 'E0604');
holds('a recursion without end', 'def f(n: Int): Int = 1 + f(n)\ndef main = f(1)', 'E0604');
const power = 'def f(x: Real, n: Int): Real = if n == 0 then 1.0 else x * f(x, n - 1)\n';
holds('the gradient of a recursion', `${power}def main = grad(\\x => f(x, 100))(1.0)`, '100.0');
holds('one that is too deep', `${power}def main = grad(\\x => f(x, 100000))(1.0)`, 'E0604');
for (const n of [90, 3000]) {
  const is = n < 100 ? '' : 'error[E01';
  holds(`${n} brackets`, `def main = ${nested(n, '(', '1.0', ')')}`, is || '1.0');
  // A sum and its bracket are two levels.
  const half = n / 2;
  holds(`${half} sums`, `def main = ${nested(half, '1.0 + (', '1.0', ')')}`, is || `${half + 1}.0`);
  const sine = nested(n, 'sin(', 'x', ')');
  holds(`${n} sines`, `def f(x: Real): Real = ${sine}\ndef main = grad(f)(0.0)`, is || '1.0');
}
holds('no compiled code', 'def main = 1.0', 'E0637', 'run_native');
console.log(failed === 0 ? 'all right in WebAssembly' : `${failed} wrong`);
process.exitCode = failed === 0 ? 0 : 1;
