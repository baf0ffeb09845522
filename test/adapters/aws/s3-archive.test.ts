import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { PART_BYTES } from '../../../lib/adapters/aws/s3-archive.ts'
import { openArchive } from './opened-archive.ts'

const unavailable = { name: 'Problem', kind: 'unavailable', code: 'archive_unavailable' }
const KEY = 'exports/export_1.json'

let opened: Awaited<ReturnType<typeof openArchive>>
beforeEach(async () => {
  opened = await openArchive()
})
afterEach(() => opened.stop())

const sentBytes = (verb: string) =>
  opened.calls.filter((call) => call.verb === verb).map(({ bytes }) => bytes)

describe('an archive in S3', () => {
  it.each([
    ['nothing', []],
    ['a few words', ['{"a":', '"é𝄞"}']],
    ['exactly a part', ['x'.repeat(PART_BYTES - 1), 'y']],
  ])('keeps %s by one request', async (_what, pieces) => {
    const draft = opened.archive.begin(KEY)
    for (const piece of pieces) await draft.write(piece)
    expect(opened.calls).toEqual([])
    await draft.close()
    expect(await opened.read(KEY)).toEqual({ text: pieces.join(''), type: 'application/json' })
    expect(opened.verbs()).toEqual(['put'])
  })

  it.each([
    ['many pieces, cut anywhere', Array.from({ length: 1_301 }, (_, at) => `${at}é𝄞`.repeat(1_000))],
    ['one piece', ['é'.repeat((5 * PART_BYTES) / 4)]],
    ['pieces of a part each', ['x', 'y', 'z'].map((text) => text.repeat(PART_BYTES))],
  ])(
    'keeps a long document of %s in parts, which show when the last of them is there',
    async (_what, pieces) => {
      const draft = opened.archive.begin(KEY)
      for (const piece of pieces) await draft.write(piece)
      expect(await opened.keys()).toEqual([])
      await draft.close()
      const text = pieces.join('')
      const kept = await opened.read(KEY)
      expect({ ...kept, text: kept.text === text }).toEqual({ text: true, type: 'application/json' })
      const parts = sentBytes('part')
      expect(parts).toHaveLength(Math.ceil(Buffer.byteLength(text) / PART_BYTES))
      // Less S3 takes of the last one only; more would take more memory.
      for (const bytes of parts.slice(0, -1)) expect(bytes).toBe(5 * 1_048_576)
      expect(opened.verbs()).toEqual(['begin', ...parts.map(() => 'part'), 'complete'])
    },
  )

  it.each([
    ['begin', PART_BYTES + 1],
    ['part', PART_BYTES + 1],
    ['put', 9],
    ['complete', PART_BYTES + 1],
  ] as const)(
    'that refuses to %s is unavailable, and leaves nothing once it is given up',
    async (verb, size) => {
      opened.fail((called) => (called === verb ? 'broken' : undefined))
      const draft = opened.archive.begin(KEY)
      const kept = draft.write('x'.repeat(size)).then(draft.close)
      await expect(kept).rejects.toMatchObject({ ...unavailable, cause: { name: 'SlowDown' } })
      await draft.abort()
      expect(await opened.keys()).toEqual([])
      expect(opened.verbs().at(-1)).toBe(verb === 'part' || verb === 'complete' ? 'abort' : verb)
    },
  )

  it('that cannot even give up says so', async () => {
    opened.fail((verb) => (verb === 'abort' ? 'unsent' : undefined))
    const draft = opened.archive.begin(KEY)
    await draft.write('x'.repeat(PART_BYTES + 1))
    await expect(draft.abort()).rejects.toMatchObject(unavailable)
  })

  it('asks nothing of S3 for a document that nothing was written of, and takes no key that is none', async () => {
    await opened.archive.begin(KEY).abort()
    expect(() => opened.archive.begin('../a')).toThrow(TypeError)
    expect(opened.calls).toEqual([])
  })
})
