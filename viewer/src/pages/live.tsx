// Placeholder.
export default function Page() {
  return <div class="page">live</div>;
}
