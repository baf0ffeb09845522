import type { BreakerReading } from '../../../../lib/health/schema.ts'
import { Tag, type Tone } from './tag.tsx'

type Look = { label: string; tone: Tone; meaning: string }

const looks: Readonly<Record<BreakerReading['state'], Look>> = {
  CLOSED: { label: 'Closed', tone: 'good', meaning: 'Calls go through' },
  OPEN: {
    label: 'Open',
    tone: 'bad',
    meaning: 'It failed too often in a row: calls are refused for a moment',
  },
  HALF_OPEN: {
    label: 'On trial',
    tone: 'warn',
    meaning: 'One call is let through; its success closes the circuit',
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
