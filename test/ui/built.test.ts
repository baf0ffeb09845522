import { globSync, readFileSync, statSync } from 'node:fs'
import * as path from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from '@jest/globals'
import { root } from '../journeys/service.ts'

const dist = path.join(root, 'functions/ui/dist')
const read = (name: string) => readFileSync(path.join(dist, name), 'utf8')
const sentSize = (name: string) => statSync(path.join(dist, `${name}.gz`)).size
const files = globSync('**/*.{html,js,css,svg,webmanifest}', { cwd: dist })

/** The transitive imports of a script. */
const withImports = (name: string, known = new Set<string>()): Set<string> => {
  if (known.has(name)) return known
  known.add(name)
  for (const [, imported = ''] of read(name).matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g))
    withImports(`assets/${imported}`, known)
  return known
}

const index = read('index.html')
const named = (pattern: RegExp) => [...index.matchAll(pattern)].map(([, name = '']) => name)
const scripts = named(/(?:src|href)="\/([^"]+\.js)"/g)
const styles = named(/href="\/([^"]+\.css)"/g)
const first = files.filter((name) => /^assets\/overview-[\w-]+\.js$/.test(name))

describe('the built page', () => {
  it('loads at most 185 kB of script and 12 kB of style, compressed, in few files, before it shows its first view', () => {
    const loaded = [...new Set([...scripts, ...first].flatMap((name) => [...withImports(name)]))]
    const size = (names: readonly string[]) => names.reduce((sum, name) => sum + sentSize(name), 0)
    expect(loaded.length).toBeGreaterThan(2)
    // Response headers are as large as a small file.
    expect(loaded.length).toBeLessThanOrEqual(25)
    expect(first).toHaveLength(1)
    expect(styles.length).toBeGreaterThan(0)
    expect(size(loaded)).toBeLessThanOrEqual(185_000)
    expect(size(styles)).toBeLessThanOrEqual(12_000)
  })

  it('loads what is heavy when it is needed: plots, the palette and what places panels', () => {
    const loaded = [...scripts, ...first].flatMap((name) => [...withImports(name)])
    const heavy = files.filter((name) => /(?:plot-canvas|palette|popover-panel).*js$/.test(name))
    expect(heavy).toHaveLength(3)
    expect(heavy.filter((name) => loaded.includes(name))).toEqual([])
  })

  it('has nothing inline, as its policy wants it', () => {
    expect(index).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|style=/)
  })

  it('names each file after what is in it, but those that are looked for by name', () => {
    const plain = files.filter((name) => !/^assets\/[\w.-]+-[\w-]{8}\.(?:js|css)$/.test(name))
    expect(plain.sort()).toEqual([
      ...['index.html', 'manifest.webmanifest', 'mark.svg', 'push-worker.js', 'theme.js'],
    ])
  })

  it('has no schema library in it, and no address of another origin that it would ask', () => {
    const code = files.filter((name) => name.endsWith('.js')).map(read)
    expect(code.filter((text) => /ZodError|_zod\b/.test(text))).toEqual([])
    expect(index).not.toMatch(/https?:\/\//)
  })

  it('has a compressed copy of every file, with the same in it', () => {
    expect(files.length).toBeGreaterThan(5)
    for (const name of files) {
      const content = readFileSync(path.join(dist, name))
      expect(brotliDecompressSync(readFileSync(path.join(dist, `${name}.br`))).equals(content)).toBe(true)
      expect(gunzipSync(readFileSync(path.join(dist, `${name}.gz`))).equals(content)).toBe(true)
    }
  })
})
