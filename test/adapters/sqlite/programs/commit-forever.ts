import { writeSync } from 'node:fs'
import { job, jobs, openJobs } from '../samples.ts'

/** Commits 20 jobs at a time, each with a second row, both counted, and prints the highest number once it is promised. */
const store = openJobs(String(process.argv[2]))
for (let first = 0; ; first += 20) {
  const turn = Array.from({ length: 20 }, (_, at) => {
    const row = job(first + at, { body: 'b'.repeat(2_000) })
    return store.commit({ insert: jobs, row }, [
      { insert: jobs, row: { ...job(first + at, { state: 'shadow' }), id: `s${first + at}` } },
    ])
  })
  await Promise.all(turn)
  writeSync(1, `${first + 19}\n`)
}
