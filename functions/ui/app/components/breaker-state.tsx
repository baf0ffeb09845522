import type { BreakerReading } from '../../../../lib/health/schema.ts'
import { Tag, type Tone } from './tag.tsx'

type Look = { label: string; tone: Tone; meaning: string }

const looks: Readonly<Record<BreakerReading['state'], Look>> = {
  CLOSED: { label: 'Closed', tone: 'good', meaning: 'Calls go through' },
  OPEN: {
    label: 'Open',
    tone: 'bad',
    meaning: 'Too many failures in a row, so calls are paused for a moment',
  },
  HALF_OPEN: {
    label: 'Half-open',
    tone: 'warn',
    meaning: 'One test call is made. If it succeeds, calls resume',
  },
}

export const BreakerState = ({ state }: Pick<BreakerReading, 'state'>) => {
  const { label, tone, meaning } = looks[state]
  return (
    <span title={meaning}>
      <Tag tone={tone}>{label}</Tag>
    </span>
  )
}
