import { State } from '../components/state.tsx'
import type { AgentSession } from '../data/sessions.ts'

const states = {
  created: 'pending',
  queued: 'queued',
  running: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
} as const

/** A state of an agent session, with the looks of that of a task. */
export const SessionState = ({ status }: Pick<AgentSession, 'status'>) => <State status={states[status]} />
