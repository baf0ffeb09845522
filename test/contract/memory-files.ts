import { describe, expect, it } from '@jest/globals'
import { MOST_MEMORY_BYTES } from '../../lib/core/memory-path.ts'
import type { MemoryFiles } from '../../lib/ports/memory-files.ts'
import { withOpened } from './test-of.ts'

/** `put` writes as people do, beside the port. `breakDown` takes the medium away. */
export type OpenMemory = {
  files: MemoryFiles
  put(path: string, bytes: string | Uint8Array): Promise<void>
  remove(path: string): Promise<void>
  breakDown(): Promise<void>
  close(): Promise<void>
}

const paths = async (files: MemoryFiles) => (await files.list()).map(({ path }) => path)
const fileText = (bytes: Awaited<ReturnType<MemoryFiles['read']>>) =>
  bytes instanceof Uint8Array ? Buffer.from(bytes).toString() : bytes
const fileEtag = async (files: MemoryFiles, path: string) =>
  (await files.list()).find((file) => file.path === path)?.tag

/** The contract of `lib/ports/memory-files.ts`. */
export const memoryFilesContract = (name: string, open: () => Promise<OpenMemory>): void => {
  const promise = (sentence: string, test: (opened: OpenMemory) => Promise<void>) =>
    it(sentence, withOpened(open, test))

  describe(`memory files ${name}`, () => {
    promise('are none where nobody has put any', async ({ files }) => {
      expect(await files.list()).toEqual([])
      expect(await files.read('a.md')).toBeUndefined()
    })

    promise('are listed by path, with their size in bytes', async ({ files, put }) => {
      for (const path of ['b.md', 'a/z.md', 'a.md', 'a/b/c.markdown', 'Z.MD', 'ä ö.md', 'a b%20+&?.md'])
        await put(path, 'é')
      expect(await paths(files)).toEqual(
        ['Z.MD', 'a b%20+&?.md', 'a.md', 'a/b/c.markdown', 'a/z.md', 'b.md', 'ä ö.md'].sort(),
      )
      expect((await files.list()).map(({ size }) => size)).toEqual(Array(7).fill(2))
      expect(fileText(await files.read('a b%20+&?.md'))).toBe('é')
    })

    promise('are read byte by byte', async ({ files, put }) => {
      const bytes = Uint8Array.from({ length: 512 }, (_, n) => n % 256)
      await put('a.md', bytes)
      expect(Buffer.from((await files.read('a.md')) as Uint8Array).equals(bytes)).toBe(true)
      await put('empty.md', '')
      expect(fileText(await files.read('empty.md'))).toBe('')
    })

    promise('change their tag with their content and not without', async ({ files, put }) => {
      await put('a.md', 'one')
      await put('b.md', 'one')
      const [first, other] = [await fileEtag(files, 'a.md'), await fileEtag(files, 'b.md')]
      await put('a.md', 'two')
      expect(await fileEtag(files, 'a.md')).not.toBe(first)
      expect(await fileEtag(files, 'b.md')).toBe(other)
    })

    promise('that are hidden, or no markdown, are not looked at', async ({ files, put }) => {
      for (const path of ['.hidden.md', '.git/a.md', 'a/.b/c.md', 'a.txt', 'md', 'a.md.bak', 'notes'])
        await put(path, 'text')
      expect(await files.list()).toEqual([])
      for (const path of ['.hidden.md', '.git/a.md', 'a.txt']) expect(await files.read(path)).toBeUndefined()
    })

    promise('are named, and not read, under names that memory cannot keep', async ({ files, put }) => {
      const segment = 'x'.repeat(200)
      const long = [segment, segment, segment, segment, `${segment}.md`].join('/')
      for (const path of ['back\\slash.md', 'odd\uFFFD.md', long, 'fit.md', 'back\\slash.txt', '.h\\.md'])
        await put(path, 'text')
      const listed = await files.list()
      // Of too deep a place in a folder, the folder is named.
      expect(listed.map(({ path, unfit }) => [long.startsWith(path) ? 'long' : path, unfit])).toEqual([
        ['back\\slash.md', 'bad_name'],
        ['fit.md', undefined],
        ['odd\uFFFD.md', 'bad_name'],
        ['long', 'path_too_long'],
      ])
      for (const { path, unfit } of listed) if (unfit) expect(await files.read(path)).toBeUndefined()
    })

    promise('are read up to 1 MiB', async ({ files, put }) => {
      await put('full.md', 'x'.repeat(MOST_MEMORY_BYTES))
      await put('over.md', 'x'.repeat(MOST_MEMORY_BYTES + 1))
      expect((await files.read('full.md'))?.length).toBe(MOST_MEMORY_BYTES)
      expect(await files.read('over.md')).toBe('too_large')
    })

    promise('that are gone are neither listed nor read', async ({ files, put, remove }) => {
      await put('a/b.md', 'text')
      await remove('a/b.md')
      expect(await files.list()).toEqual([])
      expect(await files.read('a/b.md')).toBeUndefined()
    })

    promise('lie in their place and nowhere else', async ({ files, put }) => {
      await put('a/b.md', 'text')
      for (const path of [
        '../a.md',
        'a/../a/b.md',
        './a/b.md',
        'a//b.md',
        '/a/b.md',
        'a\\b.md',
        'a/b.md\0.md',
        'a.md',
      ])
        expect([path, await files.read(path)]).toEqual([path, undefined])
    })

    promise('more than a page of a listing are all listed', async ({ files, put }) => {
      const names = Array.from({ length: 1_050 }, (_, n) => `n${String(n).padStart(4, '0')}.md`)
      await Promise.all(names.map((path) => put(path, path)))
      expect(await paths(files)).toEqual(names)
    })

    promise('reject with Problem unavailable when the medium is gone', async ({ files, breakDown }) => {
      await breakDown()
      const unavailable = { name: 'Problem', kind: 'unavailable', code: 'files_unavailable' }
      await expect(files.list()).rejects.toMatchObject(unavailable)
      await expect(files.read('a.md')).rejects.toMatchObject(unavailable)
    })
  })
}
