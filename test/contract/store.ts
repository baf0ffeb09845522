import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import type { Message } from '../../lib/core/collection.ts'
import type { Store } from '../../lib/ports/store.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { counters, type Following, logs, messages } from './store-changes.ts'
import { commits } from './store-commits.ts'
import { ownedRows } from './store-owned.ts'
import { movingPages, pages, pairPages } from './store-pages.ts'
import { jobs, note, notes, type Opened, type OpenStore, samples } from './store-samples.ts'
import { searches } from './store-searches.ts'
import { expiry, values } from './store-values.ts'
import { conditionalWrites } from './store-writes.ts'

type Section = (store: () => Store, set: (ms: number) => void) => void

/** The contract of the `Store` port. `open` gives an empty store of the collections it is handed. */
export const storeContract = (name: string, open: OpenStore): void => {
  const section = (title: string, cases: Section) =>
    describe(title, () => {
      const clock = createFakeClock()
      let opened: Opened | undefined
      beforeAll(async () => {
        opened = await open({ collections: samples, clock, deliver: async () => undefined })
      })
      afterAll(() => opened?.close())
      cases(() => {
        if (opened === undefined) throw new Error('the store did not open')
        return opened.store
      }, clock.setWall)
    })

  /** What follows from commits, and a receiver of messages that looks for the row of each. */
  const following = (title: string, cases: (following: Following) => void) =>
    describe(title, () => {
      const delivered: Message[] = []
      let isRefusing = false
      let isReadable = true
      let opened: Opened | undefined
      const there = () => {
        if (opened === undefined) throw new Error('the store did not open')
        return opened
      }
      const deliver = async (messages: readonly Message[]) => {
        for (const { body } of messages)
          isReadable &&=
            (await there().store.get(jobs, String((body as { jobId: string }).jobId))) !== undefined
        if (isRefusing) {
          isRefusing = false
          throw new Error('the receiver takes nothing now')
        }
        delivered.push(...messages)
      }
      beforeAll(async () => {
        opened = await open({ collections: samples, clock: createClock(), deliver })
      })
      afterAll(() => opened?.close())
      cases({
        store: () => there().store,
        drained: () => there().drained(),
        delivered,
        refuseNext: () => {
          isRefusing = true
        },
        allReadable: () => isReadable,
      })
    })

  describe(`the store contract on ${name}`, () => {
    section('a conditional write', conditionalWrites)
    section('a commit', commits)
    following('a log', logs)
    following('a counter', counters)
    following('a message', messages)
    section('a value', values)
    section('an expiring row', expiry)
    section('a page', pages)
    section('a page of pairs', pairPages)
    section('a search', searches)
    section('a page while rows change', movingPages)
    section('rows of an owner in the order of their keys', ownedRows)
    it('answers nothing after it was closed', async () => {
      const clock = createFakeClock()
      const { store, close } = await open({ collections: samples, clock, deliver: async () => undefined })
      await close()
      const refused = { kind: 'unavailable' }
      await expect(store.commit({ insert: notes, row: note('late') })).rejects.toMatchObject(refused)
      await expect(store.get(notes, 'late')).rejects.toMatchObject(refused)
    })
  })
}
