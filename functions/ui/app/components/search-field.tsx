import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { inputClass } from './field.tsx'

const PAUSE_MS = 250

type Props = { label: string; placeholder: string; value: string; onChange: (text: string) => void }

/** Asks when the typing pauses; follows the address when that changes by itself. `/` leads here. */
export const SearchField = ({ label, placeholder, value, onChange }: Props) => {
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => setText(value), [value])
  const type = (next: string) => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => onChange(next.trim()), PAUSE_MS)
  }
  return (
    <label className="relative w-80 max-md:w-full">
      <span className="sr-only">{label}</span>
      <Search size={14} className="absolute top-2.25 left-2.5 text-muted-foreground" />
      <input
        data-search
        type="search"
        value={text}
        onChange={({ target }) => type(target.value)}
        onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
        placeholder={placeholder}
        className={`${inputClass} pl-8`}
      />
    </label>
  )
}
