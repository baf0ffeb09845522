import { formatMs } from '../components/durations.ts'
import { TextField } from '../components/field.tsx'
import { useAgents } from '../data/agents.ts'
import type { TypedFields } from './typed-fields.ts'

export const LimitInputs = ({ typed, errors, isShown }: TypedFields & { isShown: boolean }) => (
  <fieldset className="grid grid-cols-1 gap-3 sm:grid-cols-3">
    <legend className="float-left -mb-1 w-full font-medium sm:col-span-3">Limits</legend>
    <TextField
      label="Time"
      name="timeoutMs"
      defaultValue={typed.timeoutMs}
      placeholder={useTimePlaceholder(typed.assignedAgent, isShown)}
      autoComplete="off"
      hint="For each attempt"
      error={errors.timeoutMs}
    />
    <TextField
      label="Steps"
      name="maxSteps"
      defaultValue={typed.maxSteps}
      inputMode="numeric"
      placeholder="Agent default"
      autoComplete="off"
      hint="For agents that count steps"
      error={errors.maxSteps}
    />
    <TextField
      label="Cost in USD"
      name="maxCostUsd"
      defaultValue={typed.maxCostUsd}
      inputMode="decimal"
      placeholder="No limit"
      autoComplete="off"
      hint="For all attempts together"
      error={errors.maxCostUsd}
    />
  </fieldset>
)

/** The limit of the chosen agent, such as `1h`. */
const useTimePlaceholder = (type: string | undefined, isShown: boolean): string => {
  const { data: agents } = useAgents(isShown)
  const agent = agents?.find((each) => (type ? each.type === type : each.isDefault))
  return agent ? formatMs(agent.timeoutMs) : 'Agent default'
}
