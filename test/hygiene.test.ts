import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { expects, measuresSpeed, namesDeadline, testCases, textCuts, unusedExports } from './hygiene.ts'

const root = join(import.meta.dirname, '..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')

const sources = globSync(['lib/**/*.ts', 'functions/**/*.{ts,tsx}'], { cwd: root })
const suites = globSync('test/**/*.ts', {
  cwd: root,
  exclude: ['**/node_modules', 'test/bench/**', 'test/hygiene*'],
})
const cases = suites.flatMap((name) => testCases(read(name)).map((each) => ({ name, ...each })))
const places = (found: readonly { name: string; line: number }[]) =>
  found.map(({ name, line }) => `${name}:${line}`)

describe('the sources', () => {
  it('put no markup into the page as text: what agents and people write is never HTML', () => {
    const shown = sources.filter((name) => name.startsWith('functions/ui/app/'))
    const raw = /dangerouslySetInnerHTML|\b(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write/
    expect(shown.length).toBeGreaterThan(0)
    expect(shown.filter((name) => raw.test(read(name)))).toEqual([])
  })

  it('cut texts with the functions of lib/core/cut-text.ts, which leave no half of a character', () => {
    const names = globSync('{agents,bin,functions,lib,offline,packages,resources}/**/*.{js,ts,tsx}', {
      cwd: root,
      exclude: ['**/dist', '**/node_modules'],
    })
    const cuts = names.flatMap((name) => textCuts(read(name)).map((cut) => ({ name, ...cut })))
    const isSafe = ({ name, code }: { name: string; code: string }) =>
      SAFE_CUTS.some(([file, part]) => file === name && code.includes(part))
    const needless = SAFE_CUTS.filter(
      ([file, part]) => !cuts.some(({ name, code }) => file === name && code.includes(part)),
    )
    expect(names.length).toBeGreaterThan(800)
    expect(cuts.filter((cut) => !isSafe(cut))).toEqual([])
    expect(needless).toEqual([])
  })

  it('export what another file imports, and nothing else', () => {
    const names = globSync('{agents,bin,functions,lib,offline,packages,resources,test}/**/*.{js,ts,tsx}', {
      cwd: root,
      exclude: ['**/dist', '**/node_modules'],
    })
    const unused = unusedExports(new Map(names.map((name) => [name, read(name)])))
    // Programs elsewhere use the client.
    const held = unused.filter((each) => /^lib\/(?!api\/client\.ts )/.test(each))
    expect(names.length).toBeGreaterThan(1_000)
    expect(held).toEqual([])
  })
})

/** Cuts that need no `cutText`: the file, the cut, and why half of a character cannot remain. */
const SAFE_CUTS = [
  ['lib/core/cut-text.ts', '.slice(', 'these are the functions that cut'],
  ['lib/core/cursor.ts', 'text.slice(', 'a cursor is base64url'],
  ['lib/core/time.ts', 'isoText.slice(', 'a time is ASCII'],
  ['lib/tasks/hourly-counters.ts', 'at.slice(', 'a time is ASCII'],
  ['lib/tasks/hourly-counters.ts', 'from.slice(', 'a time is ASCII'],
  ['lib/tasks/hourly-counters.ts', 'member.slice(', 'it begins with a time'],
  ['lib/queue/rows.ts', '.slice(0, HOUR)', 'it begins with a time'],
  ['lib/queue/rows.ts', '.slice(HOUR + 1)', 'it begins with a time'],
  ['lib/tokens/text.ts', 'text.slice(', 'a token is ASCII'],
  ['lib/devices/identity.ts', 'digest.slice(', 'a digest is ASCII'],
  ['lib/memory/copies.ts', 'text.slice(', 'the text is base64'],
  ['lib/memory/chunker.ts', 'lengthOfPiece(line.slice(', 'the length of the piece is what is kept'],
  ['functions/ui/app/components/text-pieces.ts', 'const blank = text.slice(', 'a blank is looked for in it'],
  ['lib/tools/builtin/web-fetch.ts', 'parser.write(html.slice(', 'the parser joins the pieces'],
  [
    'functions/ui/app/components/markdown-part.ts',
    'source = text.slice(',
    'the block at its end is parsed again, whole',
  ],
] as const

describe('the check of exports', () => {
  it.each([
    [`import { a } from './one.ts'`, false],
    [`import { type B, a as b } from './one.ts'`, false],
    [`import * as one from './one.ts'`, false],
    [`const { a } = await import('./one.ts')`, false],
    [`export * from './one.ts'`, false],
    [`import { b } from './one.ts'`, true],
    [`import { a } from './two.ts'`, true],
    ['a()', true],
  ])('has seen the importer %s, and finds the export unused: %s', (importer, isUnused) => {
    const modules = new Map([
      ['lib/one.ts', 'export const a = () => a()\n'],
      ['lib/other.ts', importer],
    ])
    expect(unusedExports(modules)).toEqual(isUnused ? ['lib/one.ts a'] : [])
  })
})

describe('the check of cuts', () => {
  it.each([
    ['text.slice(0, MOST)', true],
    ['message.slice(0, most - 1)', true],
    ['line.trim().slice(0, 300)', true],
    ['text?.slice(-LONGEST)', true],
    ["text.split('\\n').join(' ').slice(0, 80)", true],
    ['text.substring(0, at)', true],
    ['text.substr(1)', true],
    ['(title ?? prompt).slice(0, limit)', true],
    ['text.slice(0, MOST).toWellFormed()', true],
    ['Buffer.from(text).subarray(0, MOST).toString()', true],
    ['text.slice(0, text.indexOf(":"))', false],
    ['text.slice(PREFIX.length)', false],
    ['rows.slice(0, MOST)', false],
    ['[...new Set(names)].slice(0, MOST)', false],
    ['rows.filter(({ at }) => at > 0).slice(0, MOST)', false],
    ["createHash('sha256').digest('hex').slice(0, 32)", false],
    ['// text.slice(0, MOST)', false],
  ])('sees a cut in %s: %s', (code, isCut) => {
    expect(textCuts(code).length > 0).toBe(isCut)
  })
})

describe('the tests', () => {
  it('check something, each of them', () => {
    expect(cases.length).toBeGreaterThan(0)
    expect(places(cases.filter((each) => !expects(each)))).toEqual([])
  })

  it('hold no speed of the machine against the code, unless they name the deadline that was promised', () => {
    const timed = cases.filter((each) => measuresSpeed(each) && !namesDeadline(each))
    expect(places(timed)).toEqual([])
  })

  it('measure the service at the log level that users have by default', () => {
    const benches = globSync('test/bench/**/*.ts', { cwd: root, exclude: ['**/node_modules'] })
    const others = benches.filter((name) => /LOG_LEVEL(?!: 'info')|\blevel: '(?!info')/.test(read(name)))
    expect(benches.length).toBeGreaterThan(50)
    expect(others).toEqual([])
  })

  it('say why when they skip', () => {
    const silent = suites.filter((name) => {
      const source = read(name)
      return (
        /\b(?:it|describe|test)\.skip\b/.test(source) &&
        !/console\.\w+\(|process\.std(?:out|err)\.write\(/.test(source)
      )
    })
    expect(silent).toEqual([])
  })
})

describe('the check of the tests', () => {
  const one = (body: string) => testCases(`describe('a', () => {\n  it('b', () => {\n    ${body}\n  })\n})`)
  it.each([
    ['expect(1).toBe(1)', true],
    ['await expect(call()).rejects.toThrow()', true],
    ['expectSame(a, b)', true],
    ['fc.assert(property)', true],
    ['doSomething()', false],
    ['return unexpected', false],
  ])('sees whether %s checks something: %s', (body, checks) => {
    expect(one(body).map((each) => [each.line, expects(each)])).toEqual([[2, checks]])
  })

  it.each([
    ['const at = performance.now(); work(); expect(performance.now() - at).toBeLessThan(50)', true],
    ['const at = Date.now(); expect(at).toBe(5)', false],
    ['expect(count).toBeLessThan(50)', false],
  ])('sees whether %s measures speed: %s', (body, measures) => {
    expect(one(body).map(measuresSpeed)).toEqual([measures])
  })

  it('knows a helper of the file that checks', () => {
    const source = `const same = (a) => {\n  expect(a).toBe(1)\n}\nconst other = () => 1\nit('a', () => same(1))\nit('b', () => other())\n`
    expect(testCases(source).map(expects)).toEqual([true, false])
  })

  it('tells one case from the next', () => {
    const source = `it('a', () => {})\nit.each([1])('b %i', () => { expect(1).toBe(1) })\n// it('c')\n`
    expect(testCases(source).map(expects)).toEqual([false, true])
  })
})
