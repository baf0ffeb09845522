import type { BreakerReading } from '../../../../lib/health/schema.ts'
import { Tag, type Tone } from './tag.tsx'

type Look = { says: string; tone: Tone; means: string }

const looks: Readonly<Record<BreakerReading['state'], Look>> = {
  CLOSED: { says: 'Closed', tone: 'good', means: 'Calls go through' },
  OPEN: { says: 'Open', tone: 'bad', means: 'It failed too often in a row: calls are refused for a moment' },
  HALF_OPEN: {
    says: 'On trial',
    tone: 'warn',
    means: 'One call is let through; its success closes the circuit',
  },
}

/** Whether calls of something that may be down go through. */
export const BreakerState = ({ state }: Pick<BreakerReading, 'state'>) => {
  const { says, tone, means } = looks[state]
  return (
    <span title={means}>
      <Tag tone={tone}>{says}</Tag>
    </span>
  )
}
