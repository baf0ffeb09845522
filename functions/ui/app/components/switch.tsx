import { useAway } from '../data/connection.ts'

type Props = {
  label: string
  isOn: boolean
  /** What a click does. */
  title: string
  disabled?: boolean
  onChange: () => void
}

export const Switch = ({ label, isOn, title, disabled = false, onChange }: Props) => {
  const away = useAway()
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-label={label}
      title={away ?? title}
      disabled={disabled || away !== undefined}
      onClick={onChange}
      className="group flex h-6 w-9 shrink-0 items-center disabled:opacity-50"
    >
      <span className="flex h-5 w-9 items-center rounded-full border border-input bg-muted px-0.5 transition-colors group-aria-checked:border-primary group-aria-checked:bg-primary">
        <span className="size-3.5 rounded-full bg-muted-foreground transition-transform group-aria-checked:translate-x-4 group-aria-checked:bg-primary-foreground" />
      </span>
    </button>
  )
}
