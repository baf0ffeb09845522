import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { casesOf, expects, measuresSpeed, namesDeadline, unusedExports } from './hygiene.ts'

const root = join(import.meta.dirname, '..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')

const sources = globSync(['lib/**/*.ts', 'functions/**/*.{ts,tsx}'], { cwd: root })
const suites = globSync('test/**/*.ts', {
  cwd: root,
  exclude: ['**/node_modules', 'test/bench/**', 'test/hygiene*'],
})
const cases = suites.flatMap((name) => casesOf(read(name)).map((each) => ({ name, ...each })))
const places = (found: readonly { name: string; line: number }[]) =>
  found.map(({ name, line }) => `${name}:${line}`)

describe('the sources', () => {
  it('put no markup into the page as text: what agents and people write is never HTML', () => {
    const shown = sources.filter((name) => name.startsWith('functions/ui/app/'))
    const raw = /dangerouslySetInnerHTML|\b(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write/
    expect(shown.length).toBeGreaterThan(0)
    expect(shown.filter((name) => raw.test(read(name)))).toEqual([])
  })

  it('export what another file imports, and nothing else', () => {
    const names = globSync('{agents,bin,functions,lib,offline,packages,resources,test}/**/*.{js,ts,tsx}', {
      cwd: root,
      exclude: ['**/dist'],
    })
    const unused = unusedExports(new Map(names.map((name) => [name, read(name)])))
    // Programs elsewhere use the client.
    const held = unused.filter((each) => /^lib\/(?!api\/client\.ts )/.test(each))
    expect(names.length).toBeGreaterThan(1_000)
    expect(held).toEqual([])
  })
})

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

describe('the tests', () => {
  it('check something, each of them', () => {
    expect(cases.length).toBeGreaterThan(0)
    expect(places(cases.filter((each) => !expects(each)))).toEqual([])
  })

  it('hold no speed of the machine against the code, unless they name the deadline that was promised', () => {
    const timed = cases.filter((each) => measuresSpeed(each) && !namesDeadline(each))
    expect(places(timed)).toEqual([])
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
  const one = (body: string) => casesOf(`describe('a', () => {\n  it('b', () => {\n    ${body}\n  })\n})`)
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
    expect(casesOf(source).map(expects)).toEqual([true, false])
  })

  it('tells one case from the next', () => {
    const source = `it('a', () => {})\nit.each([1])('b %i', () => { expect(1).toBe(1) })\n// it('c')\n`
    expect(casesOf(source).map(expects)).toEqual([false, true])
  })
})
