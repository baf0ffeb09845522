import { X } from 'lucide-react'
import { Button } from './button.tsx'
import { inputClass } from './field.tsx'

type ChoiceProps = {
  label: string
  /** The label of no choice. */
  all: string
  options: Readonly<Record<string, string>>
  value: string
  onChange: (value: string) => void
}

/** A select. A value from the address that is not an option is added. */
export const Choice = ({ label, all, options, value, onChange }: ChoiceProps) => (
  <select
    aria-label={label}
    value={value}
    onChange={({ target }) => onChange(target.value)}
    className={inputClass}
  >
    <option value="">{all}</option>
    {Object.entries(value === '' || value in options ? options : { ...options, [value]: value }).map(
      ([name, text]) => (
        <option key={name} value={name}>
          {text}
        </option>
      ),
    )}
  </select>
)

type Range = { from?: string | undefined; to?: string | undefined }
type RangeProps = {
  range: Range
  errors: Readonly<Record<string, string>>
  onChange: (changed: { from?: string; to?: string }) => void
  className: string
}

export const DateRange = ({ range, errors, onChange, className }: RangeProps) =>
  (['from', 'to'] as const).map((name) => (
    <label key={name} className={`flex min-w-0 items-center gap-1.5 text-muted-foreground ${className}`}>
      {name === 'from' ? 'From' : 'until'}{' '}
      <input
        type="date"
        value={range[name] ?? ''}
        aria-invalid={errors[name] ? true : undefined}
        onChange={({ target }) => onChange({ [name]: target.value })}
        className={inputClass}
      />
    </label>
  ))

export const ClearFilters = ({ filters, onClear }: { filters: object; onClear: () => void }) =>
  Object.keys(filters).length > 0 && (
    <Button kind="ghost" onClick={onClear}>
      <X size={14} /> Clear
    </Button>
  )
