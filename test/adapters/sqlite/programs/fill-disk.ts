import { job, jobs, openJobs } from '../samples.ts'

/** Commits 20 jobs at a time until the disk takes no more; started under a limit on the size of files. */
process.on('SIGXFSZ', () => undefined)
const store = openJobs(String(process.argv[2]))
const commit = (n: number) => store.commit({ insert: jobs, row: job(n, { body: 'b'.repeat(4_000) }) })

let first = 0
let outcomes: PromiseSettledResult<unknown>[] = []
for (; outcomes.every(({ status }) => status === 'fulfilled'); first += 20)
  outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, at) => commit(first + at)))

const reasons = outcomes.map((one) => (one.status === 'rejected' ? one.reason.code : 'kept'))
const kept = await store.count(jobs, { index: 'newest' })
process.stdout.write(`${JSON.stringify({ promised: first - 20, kept, reasons: [...new Set(reasons)] })}\n`)
process.exit(0)
