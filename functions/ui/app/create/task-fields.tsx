import { AreaField, SelectField, TextField } from '../components/field.tsx'
import { useAgentTypes } from '../data/agents.ts'
import type { TypedFields } from './typed-fields.ts'

type Props = TypedFields & { autoFocus?: boolean }

export const TaskFields = ({ typed: given, errors, autoFocus = false }: Props) => {
  const { data: agentTypes = [] } = useAgentTypes()
  const { assignedAgent = '', priority = '3', ...typed } = given
  // Keeps the agent of a draft as an option until the list of agents is loaded.
  const types =
    assignedAgent === '' || agentTypes.includes(assignedAgent) ? agentTypes : [assignedAgent, ...agentTypes]
  return (
    <>
      <TextField
        label="Title"
        name="title"
        defaultValue={typed.title}
        autoFocus={autoFocus}
        error={errors.title}
        autoComplete="off"
      />
      <AreaField
        label="Prompt"
        name="prompt"
        defaultValue={typed.prompt}
        rows={5}
        error={errors.prompt}
        placeholder="What should the agent do?"
      />
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        <SelectField label="Priority" name="priority" defaultValue={priority} error={errors.priority}>
          <option value="1">1 · critical</option>
          <option value="2">2 · high</option>
          <option value="3">3 · normal</option>
          <option value="4">4 · low</option>
        </SelectField>
        <SelectField
          label="Agent"
          name="assignedAgent"
          defaultValue={assignedAgent}
          error={errors.assignedAgent}
        >
          <option value="">Default agent</option>
          {types.map((type) => (
            <option key={type}>{type}</option>
          ))}
        </SelectField>
        <TextField
          label="Repository"
          name="repository"
          defaultValue={typed.repository}
          placeholder="owner/repo"
          error={errors.repository}
        />
        <TextField label="Branch" name="branch" defaultValue={typed.branch} error={errors.branch} />
        <TextField
          label="Labels"
          name="labels"
          defaultValue={typed.labels}
          placeholder="comma-separated"
          error={errors.labels}
        />
        <TextField
          label="Runs on"
          name="runsOn"
          defaultValue={typed.runsOn}
          placeholder="labels of its runner"
          error={errors.runsOn}
        />
        <TextField
          label="Source link"
          name="sourceUrl"
          defaultValue={typed.sourceUrl}
          type="url"
          error={errors.sourceUrl}
        />
      </div>
    </>
  )
}
