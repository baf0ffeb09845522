import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import * as path from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip } from 'node:zlib'
import { PAGE_ENCODINGS, type PageEncoding, type PageFile, type PageFiles } from '../../ports/page-files.ts'

const SUFFIX = { br: '.br', gzip: '.gz' } as const satisfies Record<PageEncoding, string>
const FIRST = 'index.html'
const COPY = /\.(?:br|gz)$/
const open = { br: promisify(brotliDecompress), gzip: promisify(gunzip) }

/**
 * The built page in a folder. Its files are listed once there are some, and only listed files are read, so that no path
 * leads out of the folder. A file is read at its first request and cached: all together have one megabyte. A new build is
 * noticed at the index, with which every visit begins.
 */
export const createPageFiles = (folder: string): PageFiles => {
  const cache = new Map<string, Promise<PageFile>>()
  let names: ReadonlySet<string> = new Set()
  let builtAt: number | undefined
  const forget = () => {
    cache.clear()
    names = new Set()
  }
  const look = async () => {
    const { mtimeMs } = await stat(path.join(folder, FIRST)).catch(() => ({ mtimeMs: undefined }))
    if (mtimeMs !== builtAt) forget()
    builtAt = mtimeMs
  }
  const listed = () => {
    if (names.size === 0) names = new Set(filesIn(folder))
    return names
  }

  const load = async (stored: string, encoding: PageEncoding | undefined, isPlain: boolean) => {
    const bytes = await readFile(path.join(folder, stored))
    const content = encoding && isPlain ? await open[encoding](bytes) : bytes
    const tag = createHash('sha256').update(content).digest('base64url').slice(0, 22)
    return { content, encoding: isPlain ? undefined : encoding, tag }
  }

  const read: PageFiles['read'] = async (name, encodings) => {
    // Compressed copies are not files of the page themselves.
    if (COPY.test(name)) return undefined
    if (name === FIRST) await look()
    const has = (encoding: PageEncoding) => listed().has(name + SUFFIX[encoding])
    const accepted = encodings.find(has)
    // When only compressed copies exist, they are decompressed for clients that accept none.
    const stored = accepted ?? (listed().has(name) ? undefined : PAGE_ENCODINGS.find(has))
    if (stored === undefined && !listed().has(name)) return undefined
    const key = `${accepted ?? ''}:${name}`
    const found =
      cache.get(key) ?? load(name + (stored ? SUFFIX[stored] : ''), stored, accepted === undefined)
    cache.set(key, found)
    return found.catch((thrown) => {
      // The file was listed, and a build has removed it since.
      forget()
      if (thrown.code === 'ENOENT') return undefined
      throw thrown
    })
  }
  return { read }
}

const filesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)).replaceAll('\\', '/'))
  } catch {
    return []
  }
}
