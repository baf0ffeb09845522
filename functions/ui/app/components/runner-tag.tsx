import type { Runner } from '../../../../lib/runners/schema.ts'
import { runnerStates } from './runner-words.ts'
import { Tag } from './tag.tsx'

export const RunnerTag = ({ status }: Pick<Runner, 'status'>) => (
  <Tag tone={runnerStates[status].tone}>{runnerStates[status].label}</Tag>
)
