import { describe, expect, it } from '@jest/globals'
import type { Place } from '../../lib/core/cursor.ts'
import { rowPages } from '../../lib/core/page.ts'

/** Pages by where they begin; each knows the key of its last row. */
const PAGES = new Map([
  ['', { rows: [1, 2], next: { by: 2, key: 'b' } }],
  ['b', { rows: [], next: { by: 3, key: 'c' } }],
  ['c', { rows: [4], next: undefined }],
])

const reading = () => {
  const read: string[] = []
  const pages = rowPages(async ({ after }: { after?: Place }) => {
    read.push(after?.key ?? '')
    const page = PAGES.get(after?.key ?? '')
    if (page === undefined) throw new Error('There is no such page')
    return page
  })
  return { read, pages }
}

describe('pages', () => {
  it('are read to the last, an empty one in between included', async () => {
    const { read, pages } = reading()
    const rows: number[] = []
    for await (const some of pages) rows.push(...some)
    expect({ rows, read }).toEqual({ rows: [1, 2, 4], read: ['', 'b', 'c'] })
  })

  it('are not read before the one before was taken, nor after the loop is left', async () => {
    const { read, pages } = reading()
    for await (const some of pages) {
      expect({ some, read }).toEqual({ some: [1, 2], read: [''] })
      break
    }
    expect(read).toEqual([''])
  })
})
