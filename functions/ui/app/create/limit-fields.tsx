import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { formatMs } from '../components/durations.ts'
import { TextField } from '../components/field.tsx'
import { useAgents } from '../data/agents.ts'
import { hasLimits, type LimitName } from './limits.ts'
import type { TypedFields } from './typed-fields.ts'

/** Folded unless a limit is set or refused. */
export const LimitFields = ({ typed, errors }: TypedFields) => {
  const [isOpen, setOpen] = useState(() => hasLimits(typed))
  const names: LimitName[] = ['timeoutMs', 'maxSteps', 'maxCostUsd']
  const isRefused = names.some((name) => errors[name] !== undefined)
  return (
    <details open={isOpen || isRefused} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="flex items-center gap-1.5 font-medium">
        <ChevronRight size={14} className="text-muted-foreground [details[open]>summary>&]:rotate-90" />
        Limits
      </summary>
      {/* Stays in the document while folded: its values are sent. */}
      <div className="grid grid-cols-1 gap-3 pt-2 sm:grid-cols-3">
        <TextField
          label="Time"
          name="timeoutMs"
          defaultValue={typed.timeoutMs}
          placeholder={useTimePlaceholder(typed.assignedAgent, isOpen)}
          autoComplete="off"
          hint="Of each attempt"
          error={errors.timeoutMs}
        />
        <TextField
          label="Steps"
          name="maxSteps"
          defaultValue={typed.maxSteps}
          inputMode="numeric"
          placeholder="of the agent"
          autoComplete="off"
          hint="Where steps are counted"
          error={errors.maxSteps}
        />
        <TextField
          label="Cost in USD"
          name="maxCostUsd"
          defaultValue={typed.maxCostUsd}
          inputMode="decimal"
          placeholder="none"
          autoComplete="off"
          hint="Of all attempts together"
          error={errors.maxCostUsd}
        />
      </div>
    </details>
  )
}

/** The limit of the chosen agent, such as `1h`. */
const useTimePlaceholder = (type: string | undefined, isOpen: boolean): string => {
  const { data: agents } = useAgents(isOpen)
  const agent = agents?.find((each) => each.type === type)
  return agent ? formatMs(agent.timeoutMs) : 'of the agent'
}
