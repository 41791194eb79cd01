// Placeholder.
export default function Page() {
  return <div class="page">settings</div>;
}
