import { X } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { inputClass } from '../../components/field.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
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
  const wrong = fieldErrors(error)
  const day = (name: 'from' | 'to') => ({
    type: 'date',
    value: filters[name] ?? '',
    'aria-invalid': wrong[name] ? true : undefined,
    onChange: ({ target }: { target: { value: string } }) => onChange({ [name]: target.value }),
    className: inputClass,
  })
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-b px-4 py-2 md:px-6">
      <div className="w-48 max-md:w-full">
        <ActionFilter value={filters.action ?? ''} onChange={(action) => onChange({ action })} />
      </div>
      <div className="w-48 max-md:w-full">
        <UserFilter value={filters.userId ?? ''} onChange={(userId) => onChange({ userId })} />
      </div>
      <label className="flex min-w-0 items-center gap-1.5 text-muted-foreground max-md:flex-1">
        From <input {...day('from')} />
      </label>
      <label className="flex min-w-0 items-center gap-1.5 text-muted-foreground max-md:flex-1">
        until <input {...day('to')} />
      </label>
      {Object.keys(filters).length > 0 && (
        <Button kind="ghost" onClick={onClear}>
          <X size={14} /> Clear
        </Button>
      )}
      <span className="ml-auto text-muted-foreground max-md:basis-full" role="status">
        {total !== undefined && `${formatNumber(total)} ${total === 1 ? 'record' : 'records'}`}
      </span>
    </div>
  )
}

type OneProps = { value: string; onChange: (value: string) => void }

/** The address may name an action without a label. */
const ActionFilter = ({ value, onChange }: OneProps) => {
  const names = value === '' || value in actions ? actions : { ...actions, [value]: value }
  return (
    <select
      aria-label="Action"
      value={value}
      onChange={({ target }) => onChange(target.value)}
      className={inputClass}
    >
      <option value="">Every action</option>
      {Object.entries(names).map(([action, label]) => (
        <option key={action} value={action}>
          {label}
        </option>
      ))}
    </select>
  )
}
