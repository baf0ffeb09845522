import { X } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { inputClass } from '../../components/field.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { formatNumber } from '../../components/format.ts'
import { IdFilter, UserFilter } from '../../components/id-filter.tsx'
import { tools } from '../../data/at-build.ts'
import type { ToolCallFilters } from '../../data/security.ts'
import { decisions } from './decisions.tsx'
import type { AuditSearch } from './filters.ts'

type Props = {
  filters: ToolCallFilters
  hasPeople: boolean
  onChange: (changed: AuditSearch) => void
  onClear: () => void
  total: number | undefined
  error: unknown
}

const names = Object.fromEntries(tools.map(({ name }) => [name, name]))
const decisionLabels = Object.fromEntries(Object.entries(decisions).map(([name, look]) => [name, look.label]))
const half = 'w-40 max-md:w-[calc(50%-0.25rem)]'

export const FilterBar = ({ filters, hasPeople, onChange, onClear, total, error }: Props) => {
  const wrong = fieldErrors(error)
  const day = (name: 'from' | 'to') => ({
    type: 'date',
    value: filters[name] ?? '',
    'aria-invalid': wrong[name] ? true : undefined,
    onChange: ({ target }: { target: { value: string } }) => onChange({ [name]: target.value }),
    className: inputClass,
  })
  const id = (name: 'conversationId' | 'taskId' | 'userId') => ({
    value: filters[name] ?? '',
    onChange: (value: string) => onChange({ [name]: value }),
  })
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-b px-4 py-2 md:px-6">
      <div className={half}>
        <Choice
          label="Tool"
          all="Every tool"
          options={names}
          value={filters.tool ?? ''}
          onChange={(tool) => onChange({ tool })}
        />
      </div>
      <div className={half}>
        <Choice
          label="Decision"
          all="Every decision"
          options={decisionLabels}
          value={filters.decision ?? ''}
          onChange={(decision) => onChange({ decision })}
        />
      </div>
      {hasPeople && (
        <div className={half}>
          <UserFilter {...id('userId')} />
        </div>
      )}
      <div className={half}>
        <IdFilter label="Task" placeholder="Id of a task" {...id('taskId')} />
      </div>
      <div className="w-40 max-md:flex-1">
        <IdFilter label="Conversation" placeholder="Id of a conversation" {...id('conversationId')} />
      </div>
      <label className="flex min-w-0 items-center gap-1.5 text-muted-foreground max-md:w-[calc(50%-0.25rem)]">
        From <input {...day('from')} />
      </label>
      <label className="flex min-w-0 items-center gap-1.5 text-muted-foreground max-md:w-[calc(50%-0.25rem)]">
        until <input {...day('to')} />
      </label>
      {Object.keys(filters).length > 0 && (
        <Button kind="ghost" onClick={onClear}>
          <X size={14} /> Clear
        </Button>
      )}
      <span className="ml-auto text-muted-foreground" role="status">
        {total !== undefined && `${formatNumber(total)} ${total === 1 ? 'call' : 'calls'}`}
      </span>
    </div>
  )
}

type ChoiceProps = {
  label: string
  all: string
  options: Readonly<Record<string, string>>
  value: string
  onChange: (value: string) => void
}

/** A value from the address that is not an option is added. */
const Choice = ({ label, all, options, value, onChange }: ChoiceProps) => (
  <select
    aria-label={label}
    value={value}
    onChange={({ target }) => onChange(target.value)}
    className={inputClass}
  >
    <option value="">{all}</option>
    {Object.entries(value === '' || value in options ? options : { ...options, [value]: value }).map(
      ([name, words]) => (
        <option key={name} value={name}>
          {words}
        </option>
      ),
    )}
  </select>
)
