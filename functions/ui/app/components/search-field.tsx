import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { inputClass } from './field.tsx'

const PAUSE_MS = 250

type Props = {
  label: string
  placeholder: string
  value: string
  onChange: (text: string) => void
  /** What is searched, where the placeholder has no room for it. */
  title?: string
  className?: string
}

/** Applies after a pause in typing, and follows changes of the address. `/` focuses it. */
export const SearchField = ({ label, placeholder, value, onChange, title, className = '' }: Props) => {
  const { text, type, ask } = useTyped(value, onChange)
  return (
    <label className={`relative ${className}`}>
      <span className="sr-only">{label}</span>
      <Search size={14} className="absolute top-2.25 left-2.5 text-muted-foreground" />
      <input
        data-search
        type="search"
        value={text}
        onChange={({ target }) => type(target.value)}
        onBlur={ask}
        onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
        placeholder={placeholder}
        title={title}
        className={`${inputClass} pl-8 text-ellipsis`}
      />
    </label>
  )
}

/** Leaving the field applies at once, before navigation. */
const useTyped = (value: string, onChange: Props['onChange']) => {
  const [text, setText] = useState(value)
  const waiting = useRef<{ timer: ReturnType<typeof setTimeout>; text: string }>(undefined)
  const asked = useRef<string>(undefined)
  const latest = useRef(onChange)
  useEffect(() => {
    latest.current = onChange
  })
  const drop = () => {
    clearTimeout(waiting.current?.timer)
    waiting.current = undefined
  }
  const ask = () => {
    if (!waiting.current) return
    asked.current = waiting.current.text
    drop()
    latest.current(asked.current)
  }
  const type = (next: string) => {
    setText(next)
    drop()
    waiting.current = { timer: setTimeout(() => ask(), PAUSE_MS), text: next.trim() }
  }
  useEffect(() => {
    const isEcho = asked.current === value
    asked.current = undefined
    // The applied value returns trimmed, possibly while more is typed: the field is ahead of it.
    if (isEcho) return
    clearTimeout(waiting.current?.timer)
    waiting.current = undefined
    setText((now) => (now.trim() === value ? now : value))
  }, [value])
  useEffect(() => () => clearTimeout(waiting.current?.timer), [])
  return { text, type, ask }
}
