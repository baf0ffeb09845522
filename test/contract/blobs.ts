import { describe, expect, it } from '@jest/globals'
import type { Blobs } from '../../lib/ports/blobs.ts'
import { badKeys, badLists, edgeKeys, illFormed, texts } from './blobs-samples.ts'
import { withOpened } from './test-of.ts'

/** Nothing kept yet. `breakDown` takes the medium away. */
export type OpenBlobs = { blobs: Blobs; breakDown?(): Promise<void>; close(): Promise<void> }
export type Lack = 'full size' | 'order' | 'failure'

const MOST_BYTES = 2 ** 24
const unavailable = { name: 'Problem', kind: 'unavailable', code: 'files_unavailable' }

const walk = async (blobs: Blobs, prefix: string, limit: number): Promise<string[][]> => {
  const pages: string[][] = []
  let after: string | undefined
  do {
    const { keys, next } = await blobs.list(prefix, { limit, ...(after !== undefined && { after }) })
    pages.push(keys)
    after = next
  } while (after !== undefined)
  return pages
}

const putAll = async (blobs: Blobs, keys: readonly string[]) => {
  for (const key of keys) await blobs.put(key, `text of ${key}`)
}

/** The contract of `lib/ports/blobs.ts`. `lacks` names what an emulator cannot do, and why. */
export const blobsContract = (
  name: string,
  open: () => Promise<OpenBlobs>,
  lacks: { readonly [L in Lack]?: string } = {},
): void => {
  const promise = (sentence: string, test: (opened: OpenBlobs) => Promise<void>) =>
    it(sentence, withOpened(open, test))
  const promiseIf = (needed: Lack, sentence: string, test: (opened: OpenBlobs) => Promise<void>) =>
    lacks[needed] === undefined
      ? promise(sentence, test)
      : it.todo(`${sentence} (not shown here: ${lacks[needed]})`)

  describe(`blobs ${name}`, () => {
    promise('answer the last text that was put, and undefined for other keys', async ({ blobs }) => {
      await blobs.put('a/b', 'long text'.repeat(100))
      await blobs.put('a/b', 'short')
      expect(await blobs.get('a/b')).toBe('short')
      for (const absent of ['a', 'a/bb', 'a/b/c', 'b']) expect(await blobs.get(absent)).toBeUndefined()
    })

    promise('keep every well-formed text as it was', async ({ blobs }) => {
      for (const [what, text] of Object.entries(texts)) {
        await blobs.put('text', text)
        expect([what, (await blobs.get('text')) === text]).toEqual([what, true])
      }
    })

    promise('refuse ill-formed text and leave what was there', async ({ blobs }) => {
      await blobs.put('a', 'before')
      for (const text of illFormed) await expect(blobs.put('a', text)).rejects.toThrow(TypeError)
      expect(await blobs.get('a')).toBe('before')
    })

    promiseIf('full size', 'take a text of 2^24 bytes', async ({ blobs }) => {
      const text = 'é'.repeat(MOST_BYTES / 2)
      await blobs.put('a', text)
      expect((await blobs.get('a')) === text).toBe(true)
    })

    promise('refuse a text of more than 2^24 bytes', async ({ blobs }) => {
      const refused = { kind: 'too_large', code: 'file_too_large' }
      await expect(blobs.put('a', `${'é'.repeat(MOST_BYTES / 2)}e`)).rejects.toMatchObject(refused)
      expect(await blobs.get('a')).toBeUndefined()
    })

    promise('keep one of several texts put at a time, whole, and show no part', async ({ blobs }) => {
      const drafts = Array.from({ length: 8 }, (_, n) => String(n).repeat(100_000 + n * 50_000))
      await blobs.put('a', drafts[0] ?? '')
      const puts = drafts.map((text) => blobs.put('a', text))
      const seen = await Promise.all(Array.from({ length: 8 }, () => blobs.get('a')))
      await Promise.all(puts)
      const strange = [...seen, await blobs.get('a')].filter((text) => !drafts.includes(text ?? ''))
      expect(strange).toHaveLength(0)
    })

    promise('forget a key that is removed, as often as it is', async ({ blobs }) => {
      await putAll(blobs, ['a/b/c', 'a/d'])
      for (const key of ['a/b/c', 'a/b/c', 'never/there']) await blobs.remove(key)
      expect(await blobs.get('a/b/c')).toBeUndefined()
      expect(await walk(blobs, '', 10)).toEqual([['a/d']])
    })

    promise('take a key that is the beginning of another', async ({ blobs }) => {
      const keys = ['a', 'a/b', 'a/b/c']
      await putAll(blobs, keys)
      expect(await walk(blobs, '', 10)).toEqual([keys])
      await blobs.remove('a/b')
      expect(await Promise.all(keys.map(blobs.get))).toEqual(['text of a', undefined, 'text of a/b/c'])
    })

    promise('lose nothing put beside what is removed at the same time', async ({ blobs }) => {
      // The deeper, the longer an adapter that keeps folders is busy making and removing them.
      const deep = 'x/'.repeat(60)
      const lost: string[] = []
      const comeAndGo = async (key: string) => {
        for (let round = 0; round < 20; round += 1) {
          await blobs.put(key, key)
          if ((await blobs.get(key)) !== key) lost.push(key)
          await Promise.all([blobs.remove(key), blobs.list('x', { limit: 5 })])
        }
      }
      await Promise.all(['a', 'b'].map((name) => comeAndGo(deep + name)))
      expect(lost).toEqual([])
      expect(await walk(blobs, '', 5)).toEqual([[]])
    })

    promise('take the oddest keys there are', async ({ blobs }) => {
      for (const key of edgeKeys) {
        await blobs.put(key, key)
        expect(await walk(blobs, key, 10)).toEqual([[key]])
        expect(await blobs.get(key)).toBe(key)
        await blobs.remove(key)
      }
    })

    promise('refuse what is no key', async ({ blobs }) => {
      for (const key of badKeys) {
        await expect(blobs.put(key, '')).rejects.toThrow(TypeError)
        await expect(blobs.get(key)).rejects.toThrow(TypeError)
        await expect(blobs.remove(key)).rejects.toThrow(TypeError)
      }
      expect(await walk(blobs, '', 10)).toEqual([[]])
    })

    promise('refuse to list what no key begins with, and too much at once', async ({ blobs }) => {
      for (const [prefix, page] of badLists) await expect(blobs.list(prefix, page)).rejects.toThrow(TypeError)
    })

    promise('list by prefix, page by page, and say where a page ends', async ({ blobs }) => {
      const keys = ['a', 'a-b', 'a.b', 'a/b', 'a/b/c', 'a/bc', 'a/c', 'a0', 'ab/c', 'b/a']
      await putAll(blobs, keys.toReversed())
      for (const limit of [1, 2, 3, 5, 9, 10, 1_000])
        expect((await walk(blobs, '', limit)).map(({ length }) => length)).toEqual(pageSizes(10, limit))
      for (const prefix of ['', 'a', 'a/', 'a/b', 'a/b/', 'a/b/c', 'a/b/c/', 'ab', 'c'])
        for (const limit of [1, 2, 10])
          expect((await walk(blobs, prefix, limit)).flat()).toEqual(
            keys.filter((key) => key.startsWith(prefix)),
          )
    })

    promise('list what comes after a key, whether it exists or not', async ({ blobs }) => {
      const keys = ['a/b', 'a/d', 'b/a', 'b/c']
      await putAll(blobs, keys)
      for (const after of ['0', 'a', 'a/b', 'a/b/x', 'a/c', 'a0', 'b', 'b/a', 'b/c', 'z'])
        expect(await blobs.list('', { limit: 9, after })).toEqual({ keys: keys.filter((key) => key > after) })
      expect(await blobs.list('b/', { limit: 1, after: 'a/d' })).toEqual({ keys: ['b/a'], next: 'b/a' })
    })

    promiseIf('order', 'list in code-unit order', async ({ blobs }) => {
      const keys = [
        '-',
        '.a',
        '0',
        'A/b',
        'B',
        'Ba',
        'Z',
        '_',
        '_/a',
        'a',
        'a-',
        'a/Z',
        'a/a',
        'aB',
        'a_',
        'ab',
      ]
      await putAll(blobs, keys.toReversed())
      expect((await walk(blobs, '', 3)).flat()).toEqual(keys)
    })

    promiseIf('failure', 'reject with Problem unavailable when the medium is gone', async (opened) => {
      const { blobs } = opened
      await blobs.put('a', 'text')
      await opened.breakDown?.()
      await expect(blobs.put('a', 'new')).rejects.toMatchObject(unavailable)
      await expect(blobs.get('a')).rejects.toMatchObject(unavailable)
      await expect(blobs.get('never/there')).rejects.toMatchObject(unavailable)
      await expect(blobs.remove('a')).rejects.toMatchObject(unavailable)
      await expect(blobs.list('', { limit: 1 })).rejects.toMatchObject(unavailable)
    })
  })
}

const pageSizes = (total: number, limit: number): number[] =>
  Array.from({ length: Math.ceil(total / limit) }, (_, n) => Math.min(limit, total - n * limit))
