import { createClock } from '../../../lib/adapters/node/clock.ts'
import type { Deliver } from '../../../lib/adapters/sqlite/outbox.ts'
import { openSqliteStore } from '../../../lib/adapters/sqlite/store.ts'
import { collection } from '../../../lib/core/collection.ts'
import { declared, type Job, jobs } from './samples.ts'

type Event = { jobId: string; id: string }
const events = collection<Event>({
  name: 'events',
  within: 'jobId',
  key: 'id',
  indexes: { ofJob: { within: 'jobId', by: 'id' } },
})

/** Jobs that are counted by their state, and send a message for each state that they reach. */
export const sentJobs = collection<Job, 'body'>({
  ...jobs,
  detail: ['body'],
  long: [],
  log: events,
  counts: ({ before, after }) => [
    {
      counter: 'jobs',
      member: 'all',
      add: { ...(before && { [before.state]: -1 }), ...(after && { [after.state]: 1 }) },
    },
  ],
  sends: ({ after }) =>
    after ? [{ to: 'notices', id: `${after.state} ${after.id}`, body: { jobId: after.id } }] : [],
})

export const openSentJobs = (file: string, deliver: Deliver) => {
  const collections = declared(sentJobs, events)
  const store = openSqliteStore({ file, clock: createClock(), collections, deliver })
  store.start()
  return store
}
