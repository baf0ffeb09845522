import { fieldErrors } from '../../components/field-errors.ts'
import { Choice, ClearFilters, DateRange } from '../../components/filter-fields.tsx'
import { FilterRow } from '../../components/filter-row.tsx'
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
  const id = (name: 'conversationId' | 'taskId' | 'userId') => ({
    value: filters[name] ?? '',
    onChange: (value: string) => onChange({ [name]: value }),
  })
  return (
    <FilterRow
      active={Object.keys(filters).length}
      status={total !== undefined && `${formatNumber(total)} ${total === 1 ? 'call' : 'calls'}`}
    >
      <div className={half}>
        <Choice
          label="Tool"
          all="All tools"
          options={names}
          value={filters.tool ?? ''}
          onChange={(tool) => onChange({ tool })}
        />
      </div>
      <div className={half}>
        <Choice
          label="Decision"
          all="All decisions"
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
        <IdFilter label="Task" placeholder="Task ID" {...id('taskId')} />
      </div>
      <div className="w-40 max-md:flex-1">
        <IdFilter label="Conversation" placeholder="Conversation ID" {...id('conversationId')} />
      </div>
      <DateRange
        range={filters}
        errors={fieldErrors(error)}
        onChange={onChange}
        className="max-md:w-[calc(50%-0.25rem)]"
      />
      <ClearFilters filters={filters} onClear={onClear} />
    </FilterRow>
  )
}
