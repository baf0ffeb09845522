import { useId } from 'react'
import { SelectField, TextField } from '../../components/field.tsx'
import { priorities } from '../../components/priorities.ts'
import { sourceName } from '../../components/source-name.ts'
import { useAgentName, useAgentTypes } from '../../data/agents.ts'
import { sources } from '../../data/at-build.ts'
import { useMe } from '../../data/me.ts'
import { useCreatorNames, usePeople, useUserName } from '../../data/people.ts'
import { useUsedRepositories } from '../../data/task-history.ts'
import type { Filters } from '../../data/tasks.ts'

export const moreNames = [
  ...['priority', 'source', 'agent', 'labels', 'repository', 'branch', 'createdBy'],
  ...['createdAfter', 'createdBefore', 'completedAfter', 'completedBefore', 'sortBy', 'sortOrder'],
] as const

const sortings = {
  createdAt: 'Created',
  updatedAt: 'Updated',
  completedAt: 'Ended',
  priority: 'Priority',
  title: 'Title',
  status: 'State',
}

type Props = { filters: Filters; onChange: (changed: Filters) => void }

export const MoreFilters = ({ filters, onChange }: Props) => {
  const { data: types = [] } = useAgentTypes()
  const agentName = useAgentName()
  const lists = useId()
  const { data: used = new Map<string, ReadonlySet<string>>() } = useUsedRepositories()
  const branches = [
    ...new Set(
      filters.repository ? used.get(filters.repository) : [...used.values()].flatMap((each) => [...each]),
    ),
  ]
  const bind = (name: string) => ({
    value: filters[name] ?? '',
    onChange: ({ target }: { target: { value: string } }) => onChange({ [name]: target.value }),
  })
  /** Applies on blur or Enter. */
  const bindText = (name: string) => ({
    key: filters[name] ?? '',
    defaultValue: filters[name] ?? '',
    onBlur: ({ target }: { target: { value: string } }) => onChange({ [name]: target.value.trim() }),
    onKeyDown: ({ key, currentTarget }: { key: string; currentTarget: { value: string } }) =>
      key === 'Enter' && onChange({ [name]: currentTarget.value.trim() }),
  })
  return (
    <div className="grid grid-cols-2 gap-3 p-3">
      <SelectField label="Priority" {...bind('priority')}>
        <option value="">Any</option>
        {Object.entries(priorities).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </SelectField>
      <SelectField label="Source" {...bind('source')}>
        <option value="">Any</option>
        {sources.map((source) => (
          <option key={source} value={source}>
            {sourceName(source)}
          </option>
        ))}
      </SelectField>
      <SelectField label="Agent" {...bind('agent')}>
        <option value="">Any</option>
        {types.map((type) => (
          <option key={type} value={type}>
            {agentName(type)}
          </option>
        ))}
      </SelectField>
      <CreatorField {...bind('createdBy')} />
      <TextField
        label="Repository"
        placeholder="Any"
        list={`${lists}-repository`}
        {...bindText('repository')}
      />
      <TextField label="Branch" placeholder="Any" list={`${lists}-branch`} {...bindText('branch')} />
      <Options id={`${lists}-repository`} values={[...used.keys()]} />
      <Options id={`${lists}-branch`} values={branches} />
      <div className="col-span-2">
        <TextField label="Labels" placeholder="All of these, comma-separated" {...bindText('labels')} />
      </div>
      <TextField label="Created from" {...dateOr(filters.createdAfter)} {...bind('createdAfter')} />
      <TextField label="Created until" {...dateOr(filters.createdBefore)} {...bind('createdBefore')} />
      <TextField label="Ended from" {...dateOr(filters.completedAfter)} {...bind('completedAfter')} />
      <TextField label="Ended until" {...dateOr(filters.completedBefore)} {...bind('completedBefore')} />
      <SelectField label="Sort by" {...bind('sortBy')}>
        {Object.entries(sortings).map(([value, label]) => (
          <option key={value} value={value === 'createdAt' ? '' : value}>
            {label}
          </option>
        ))}
      </SelectField>
      <SelectField label="Order" {...bind('sortOrder')}>
        <option value="">Descending</option>
        <option value="asc">Ascending</option>
      </SelectField>
    </div>
  )
}

const Options = ({ id, values }: { id: string; values: readonly string[] }) => (
  <datalist id={id}>
    {values.map((value) => (
      <option key={value} value={value} />
    ))}
  </datalist>
)

type CreatorProps = { value: string; onChange: (event: { target: { value: string } }) => void }

/** Admins choose among the accounts, others among the creators that they saw. Someone else whom the address names is kept. */
const CreatorField = ({ value, onChange }: CreatorProps) => {
  const me = useMe()
  const userName = useUserName()
  const listed = usePeople().map(({ id }) => id)
  const seen = Object.keys(useCreatorNames())
  const ids = [...new Set([...listed, ...seen, ...(me ? [me.id] : []), ...(value ? [value] : [])])]
  return (
    <SelectField label="By" value={value} onChange={onChange}>
      <option value="">Anyone</option>
      {ids.map((id) => (
        <option key={id} value={id}>
          {userName(id)}
        </option>
      ))}
    </SelectField>
  )
}

/** A date input cannot show an instant, so that is shown as text. */
const dateOr = (value: string | undefined) => ({ type: value?.includes('T') ? 'text' : 'date' })
