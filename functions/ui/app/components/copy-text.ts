/** Pages that are not served over https have no `navigator.clipboard`. */
const copySelected = (text: string, beside: Element) => {
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'sr-only'
  const focused = document.activeElement
  // Beside the button, as a modal dialog traps focus.
  if (beside === document.body) beside.append(area)
  else beside.after(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}

/** Whether the text was copied. `beside` is in the dialog that is open, or the body. */
export const copyText = async (text: string, beside: Element): Promise<boolean> => {
  if (!navigator.clipboard) return copySelected(text, beside)
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => copySelected(text, beside),
  )
}
