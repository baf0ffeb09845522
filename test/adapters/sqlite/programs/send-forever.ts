import { appendFileSync, writeSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { job } from '../samples.ts'
import { openSentJobs, sentJobs } from '../sent-jobs.ts'

/**
 * Commits jobs of a `round`, 10 at a time, and moves half of them on; writes the id of each delivered message to a journal, a
 * turn or two after it was handed over, and refuses each seventh delivery. Prints a line for each ten.
 */
const [, , file, journal, round] = process.argv
let deliveries = 0
const store = openSentJobs(String(file), async (messages) => {
  deliveries += 1
  if (deliveries % 7 === 0) throw new Error('not now')
  if (deliveries % 2 === 0) await nextTurn()
  appendFileSync(String(journal), messages.map(({ id }) => `${id}\n`).join(''))
  await nextTurn()
})
for (let first = 0; ; first += 10) {
  const ids = Array.from({ length: 10 }, (_, at) => `r${round}n${first + at}`)
  await Promise.all(
    ids.map(async (id, at) => {
      await store.commit({ insert: sentJobs, row: job(0, { id }), log: [{ id: 'e1' }] })
      if (at % 2 === 0)
        await store.commit({ update: sentJobs, key: id, set: { state: 'shut' }, log: [{ id: 'e2' }] })
    }),
  )
  writeSync(1, `${first}\n`)
}
