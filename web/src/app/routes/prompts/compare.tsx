/** Replaced by the screen itself. */
export default function CompareScreen() {
  return <h1 className="text-2xl">Compare</h1>;
}
