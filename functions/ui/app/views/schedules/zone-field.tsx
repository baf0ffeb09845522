import { useId } from 'react'
import { TextField } from '../../components/field.tsx'
import { locale } from '../../data/locale.ts'

/** Not every browser lists `UTC`. */
const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]

export const ownZone = (): string => locale.get().zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone

/** The only zone that contains the text; the text itself if there is none or several. */
const matchingZone = (text: string): string => {
  const words = text.trim().replaceAll(' ', '_').toLowerCase()
  if (words === '') return ''
  const exact = zones.find((zone) => zone.toLowerCase() === words)
  const found = zones.filter((zone) => zone.toLowerCase().includes(words))
  return exact ?? (found.length === 1 ? (found[0] ?? text) : text.trim())
}

type Props = { value: string; error: string | undefined; onChange: (zone: string) => void }

export const ZoneField = ({ value, error, onChange }: Props) => {
  const list = useId()
  return (
    <>
      <TextField
        label="Time zone"
        name="timezone"
        list={list}
        autoComplete="off"
        spellCheck={false}
        placeholder="Search, e.g. Vienna"
        value={value}
        error={error}
        onChange={({ target }) => onChange(target.value)}
        onBlur={({ target }) => onChange(matchingZone(target.value))}
      />
      <datalist id={list}>
        {zones.map((zone) => (
          <option key={zone}>{zone}</option>
        ))}
      </datalist>
    </>
  )
}
