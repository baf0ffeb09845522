import type { BulkSummary } from '../data/bulk-jobs.ts'
import { bulkCounts } from './bulk-outcome.ts'
import { Tag, type Tone } from './tag.tsx'

const states: Readonly<Record<BulkSummary['status'], { label: string; tone: Tone }>> = {
  running: { label: 'Running', tone: 'live' },
  completed: { label: 'Completed', tone: 'good' },
  cancelled: { label: 'Cancelled', tone: 'warn' },
}

const inPart = { label: 'Partly failed', tone: 'warn' } as const
const notAtAll = { label: 'Failed', tone: 'bad' } as const

/** A completed job with failures is shown as partly failed or failed. */
export const BulkState = ({ job }: { job: BulkSummary }) => {
  const { faulty, good } = bulkCounts(job)
  const isFaulty = job.status === 'completed' && faulty > 0
  const { label, tone } = isFaulty ? (good > 0 ? inPart : notAtAll) : states[job.status]
  return <Tag tone={tone}>{label}</Tag>
}
