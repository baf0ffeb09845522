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

export const SessionState = ({ status }: Pick<AgentSession, 'status'>) => <State status={states[status]} />
