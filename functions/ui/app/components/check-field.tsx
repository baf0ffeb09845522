import type { ReactNode } from 'react'

type Props = {
  label: string
  hint?: ReactNode
  isChecked: boolean
  disabled?: boolean
  onChange: () => void
  className?: string
}

export const CheckField = ({ label, hint, isChecked, disabled = false, onChange, className = '' }: Props) => (
  <label className={`flex items-start gap-2 ${className}`}>
    <input
      type="checkbox"
      checked={isChecked}
      disabled={disabled}
      onChange={onChange}
      className="mt-0.5 size-3.5 shrink-0"
    />
    <span>
      <span className="font-medium">{label}</span>
      {hint && <span className="block text-xs text-muted-foreground">{hint}</span>}
    </span>
  </label>
)
