import type { ReactNode } from 'react'
import { Tag, type Tone } from '../../components/tag.tsx'
import type { Approval } from '../../data/approvals.ts'
import type { Outcome } from './calls.ts'

type Look = { says: string; tone: Tone; means: ReactNode }

const looks: Readonly<Record<Outcome, Look>> = {
  'allow-once': { says: 'Allowed', tone: 'good', means: 'The call is made; the next one asks again.' },
  'allow-always': {
    says: 'Always allowed',
    tone: 'good',
    means: 'The call is made, and later calls of this tool in the same place need no approval for 90 days.',
  },
  deny: { says: 'Denied', tone: 'bad', means: 'The call is not made, and the model is told so.' },
  expired: {
    says: 'Expired',
    tone: 'warn',
    means: 'No decision came in time, so the call was not made; a task fails with it.',
  },
  elsewhere: {
    says: 'Decided elsewhere',
    tone: 'plain',
    means: 'It was decided in another tab or by an admin, or its task or conversation has ended.',
  },
}

export const OutcomeTag = ({ outcome }: { outcome: Outcome }) => (
  <span className="ml-auto inline-flex shrink-0">
    <Tag tone={looks[outcome].tone}>{looks[outcome].says}</Tag>
  </span>
)

export const meaningOf = (outcome: Outcome): ReactNode => looks[outcome].means

/** Where an `allow-always` holds. */
export const placeOf = ({ taskId }: Pick<Approval, 'taskId'>) =>
  taskId === undefined ? 'this conversation' : 'this task'
