type Props<Value extends string> = {
  label: string
  value: Value
  options: Readonly<Record<Value, string>>
  onChange: (value: Value) => void
}

export const Segments = <Value extends string>({ label, value, options, onChange }: Props<Value>) => (
  <fieldset className="flex rounded-md border p-0.5">
    <legend className="sr-only">{label}</legend>
    {(Object.keys(options) as Value[]).map((one) => (
      <button
        key={one}
        type="button"
        aria-pressed={one === value}
        onClick={() => onChange(one)}
        className="h-6 rounded px-2 text-muted-foreground hover:text-foreground aria-pressed:bg-accent aria-pressed:font-medium aria-pressed:text-foreground"
      >
        {options[one]}
      </button>
    ))}
  </fieldset>
)
