import type { ReactNode } from 'react'
import { Tag, type Tone } from '../../components/tag.tsx'
import type { Approval } from '../../data/approvals.ts'
import type { Outcome } from './calls.ts'

type Look = { label: string; tone: Tone; meaning: ReactNode }

const looks: Readonly<Record<Outcome, Look>> = {
  'allow-once': { label: 'Allowed', tone: 'good', meaning: 'The call is made; the next one asks again.' },
  'allow-always': {
    label: 'Always allowed',
    tone: 'good',
    meaning: 'The call is made, and later calls of this tool in the same place need no approval for 90 days.',
  },
  deny: { label: 'Denied', tone: 'bad', meaning: 'The call is not made, and the model is told so.' },
  expired: {
    label: 'Expired',
    tone: 'warn',
    meaning: 'No decision came in time, so the call was not made; a task fails with it.',
  },
  elsewhere: {
    label: 'Decided elsewhere',
    tone: 'plain',
    meaning: 'It was decided in another tab or by an admin, or its task or conversation has ended.',
  },
}

export const OutcomeTag = ({ outcome }: { outcome: Outcome }) => (
  <span className="ml-auto inline-flex shrink-0">
    <Tag tone={looks[outcome].tone}>{looks[outcome].label}</Tag>
  </span>
)

export const outcomeMeaning = (outcome: Outcome): ReactNode => looks[outcome].meaning

/** The scope of `allow-always`. */
export const sessionName = ({ taskId }: Pick<Approval, 'taskId'>) =>
  taskId === undefined ? 'this conversation' : 'this task'
