import type { BulkSummary } from '../data/bulk-jobs.ts'
import { bulkCounts } from './bulk-outcome.ts'
import { Tag, type Tone } from './tag.tsx'

const states: Readonly<Record<BulkSummary['status'], { says: string; tone: Tone }>> = {
  running: { says: 'Running', tone: 'live' },
  completed: { says: 'Completed', tone: 'good' },
  cancelled: { says: 'Stopped', tone: 'warn' },
}

const inPart = { says: 'Partly failed', tone: 'warn' } as const
const notAtAll = { says: 'Failed', tone: 'bad' } as const

/** The state of a job. One that has ended with failures does not look as if all went well. */
export const BulkState = ({ job }: { job: BulkSummary }) => {
  const { faulty, good } = bulkCounts(job)
  const isFaulty = job.status === 'completed' && faulty > 0
  const { says, tone } = isFaulty ? (good > 0 ? inPart : notAtAll) : states[job.status]
  return <Tag tone={tone}>{says}</Tag>
}
