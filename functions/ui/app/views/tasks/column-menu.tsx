import { Columns3 } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { CheckField } from '../../components/check-field.tsx'
import { Popover } from '../../components/popover.tsx'
import { chosenColumns, columnChoices, useChosen } from './columns.tsx'

/** The choice is stored in the browser. */
export const ColumnMenu = () => {
  const chosen = useChosen()
  const toggle = (id: string) =>
    chosenColumns.set(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])
  return (
    <span className="max-md:hidden">
      <Popover
        label="Columns"
        trigger={
          <Button kind="ghost" size="small">
            <Columns3 size={14} /> Columns
          </Button>
        }
      >
        <div className="grid grid-cols-2 gap-2 p-3">
          {columnChoices.map(({ id, header }) => (
            <CheckField key={id} label={header} isChecked={chosen.includes(id)} onChange={() => toggle(id)} />
          ))}
        </div>
      </Popover>
    </span>
  )
}
