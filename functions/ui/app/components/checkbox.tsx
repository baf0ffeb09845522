type Props = {
  label: string
  isChecked: boolean
  /** `isRange`: Shift was held. */
  onChange: (isRange: boolean) => void
}

/** A checkbox whose label is for screen readers. Its hit area is larger than the box. */
export const Checkbox = ({ label, isChecked, onChange }: Props) => (
  <label className="-m-2 inline-flex cursor-pointer p-2 select-none">
    <input
      type="checkbox"
      aria-label={label}
      checked={isChecked}
      onChange={({ nativeEvent }) => onChange('shiftKey' in nativeEvent && nativeEvent.shiftKey === true)}
      className="size-3.5 shrink-0"
    />
  </label>
)
