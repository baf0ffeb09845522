import { fieldErrors } from '../../components/field-errors.ts'
import { Choice, ClearFilters, DateRange } from '../../components/filter-fields.tsx'
import { FilterRow } from '../../components/filter-row.tsx'
import { formatNumber } from '../../components/format.ts'
import { UserFilter } from '../../components/id-filter.tsx'
import type { AuditFilters } from '../../data/audit.ts'
import { actions } from './actions.ts'

type Props = {
  filters: AuditFilters
  onChange: (changed: AuditFilters) => void
  onClear: () => void
  total: number | undefined
  error: unknown
}

export const FilterBar = ({ filters, onChange, onClear, total, error }: Props) => {
  return (
    <FilterRow
      active={Object.keys(filters).length}
      status={total !== undefined && `${formatNumber(total)} ${total === 1 ? 'entry' : 'entries'}`}
    >
      <div className="w-48 max-md:w-full">
        <Choice
          label="Action"
          all="All actions"
          options={actions}
          value={filters.action ?? ''}
          onChange={(action) => onChange({ action })}
        />
      </div>
      <div className="w-48 max-md:w-full">
        <UserFilter value={filters.userId ?? ''} onChange={(userId) => onChange({ userId })} />
      </div>
      <DateRange range={filters} errors={fieldErrors(error)} onChange={onChange} className="max-md:flex-1" />
      <ClearFilters filters={filters} onClear={onClear} />
    </FilterRow>
  )
}
