import type { BulkSummary } from '../data/bulk-jobs.ts'
import { Tag, type Tone } from './tag.tsx'

const states: Readonly<Record<BulkSummary['status'], { says: string; tone: Tone }>> = {
  running: { says: 'Running', tone: 'live' },
  completed: { says: 'Completed', tone: 'good' },
  cancelled: { says: 'Stopped', tone: 'warn' },
}

/** The state of a job. One that has ended with failures does not look as if all went well. */
export const BulkState = ({ job: { status, failed } }: { job: BulkSummary }) => {
  const { says, tone } = states[status]
  return <Tag tone={status === 'completed' && failed > 0 ? 'warn' : tone}>{says}</Tag>
}
