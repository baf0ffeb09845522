import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Store } from '../../lib/ports/store.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { decisions } from './store-decisions.ts'
import { followers, tallies, transactions } from './store-followers.ts'
import { ownedRows } from './store-owned.ts'
import { movingPages, pages, pairPages } from './store-pages.ts'
import { note, notes, type Opened, type OpenStore, samples } from './store-samples.ts'
import { expiry, values } from './store-values.ts'
import { conditionalWrites } from './store-writes.ts'

/** What an adapter lacks by nature, each with the reason, which the run prints. */
export type Lacks = { transactions?: string }
type Section = (store: () => Store, set: (ms: number) => void) => void

/** The contract of the `Store` port. `open` gives an empty store of the collections it is handed. */
export const storeContract = (name: string, open: OpenStore, lacks: Lacks = {}): void => {
  const section = (title: string, cases: Section) =>
    describe(title, () => {
      const clock = createFakeClock()
      let opened: Opened | undefined
      beforeAll(async () => {
        opened = await open({ collections: samples, clock })
      })
      afterAll(() => opened?.close())
      cases(() => {
        if (opened === undefined) throw new Error('the store did not open')
        return opened.store
      }, clock.setWall)
    })

  describe(`the store contract on ${name}`, () => {
    section('a conditional write', conditionalWrites)
    section('a follower', followers)
    section('a decision', decisions)
    section('a tally', tallies)
    section('all or nothing', (store) => transactions(store, lacks.transactions))
    section('a value', values)
    section('an expiring row', expiry)
    section('a page', pages)
    section('a page of pairs', pairPages)
    section('a page while rows change', movingPages)
    section('rows of an owner in the order of their keys', ownedRows)
    it('answers nothing after it was closed', async () => {
      const { store, close } = await open({ collections: samples, clock: createFakeClock() })
      await close()
      const refused = { kind: 'unavailable' }
      await expect(store.commit({ insert: notes, row: note('late') })).rejects.toMatchObject(refused)
      await expect(store.get(notes, 'late')).rejects.toMatchObject(refused)
    })
  })
}
