import type { ReactNode } from 'react'
import { Tag, type Tone } from '../components/tag.tsx'
import type { Approval } from '../data/approvals.ts'
import type { Outcome } from './calls.ts'

type Look = { label: string; tone: Tone; meaning: ReactNode }

const looks: Readonly<Record<Outcome, Look>> = {
  'allow-once': { label: 'Allowed', tone: 'good', meaning: 'The call runs. The next one asks again.' },
  'allow-always': {
    label: 'Always allowed',
    tone: 'good',
    meaning: 'The call runs, and this tool needs no approval here for 90 days.',
  },
  deny: { label: 'Denied', tone: 'bad', meaning: 'The call does not run. The agent is informed.' },
  expired: { label: 'Expired', tone: 'warn', meaning: 'Not decided in time, so the call did not run.' },
  elsewhere: {
    label: 'Decided elsewhere',
    tone: 'plain',
    meaning: 'Decided in another tab or by an admin, or its task or conversation has ended.',
  },
}

export const OutcomeTag = ({ outcome }: { outcome: Outcome }) => (
  <span className="ml-auto inline-flex shrink-0">
    <Tag tone={looks[outcome].tone}>{looks[outcome].label}</Tag>
  </span>
)

export const outcomeMeaning = (outcome: Outcome): ReactNode => looks[outcome].meaning

/** What an expiry does. */
export const expiryEnd = ({ taskId }: Pick<Approval, 'taskId'>): string =>
  taskId === undefined
    ? 'The call does not run if it is not decided by then'
    : 'Its task fails if this is not decided by then'

/** The scope of `allow-always`. */
export const sessionName = ({ taskId }: Pick<Approval, 'taskId'>) =>
  taskId === undefined ? 'this conversation' : 'this task'
