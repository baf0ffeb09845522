import { usePeople } from '../data/people.ts'
import { inputClass } from './field.tsx'

type Props = { value: string; onChange: (value: string) => void }
type Named = Props & { label: string; placeholder: string; list?: string }

/** Applies on blur or Enter. */
export const IdFilter = ({ label, placeholder, value, onChange, list }: Named) => (
  <input
    key={value}
    aria-label={label}
    placeholder={placeholder}
    autoComplete="off"
    spellCheck={false}
    list={list}
    defaultValue={value}
    onBlur={({ target }) => target.value.trim() !== value && onChange(target.value.trim())}
    onKeyDown={({ key, currentTarget }) => key === 'Enter' && onChange(currentTarget.value.trim())}
    className={inputClass}
  />
)

/** A user id; the browser suggests ids by name. */
export const UserFilter = (props: Props) => (
  <>
    <IdFilter label="User" placeholder="User ID" list="people" {...props} />
    <datalist id="people">
      {usePeople().map(({ id, name, email }) => (
        <option key={id} value={id}>
          {name} {email}
        </option>
      ))}
    </datalist>
  </>
)
